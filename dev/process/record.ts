import { join } from 'node:path'
import { readIfPresent, identify, isAlive, signalProcess, type Identity } from './identity.ts'
import { writeWhole } from './files.ts'
import { until } from './wait.ts'

/** The content of `pids.json` in a run directory. */
type ProcessRecord = {
  readonly launcher: Identity
  readonly children: readonly RecordedChild[]
}

/** A child process, and the signal that ends it after the death of its launcher. */
export type RecordedChild = Identity & {
  readonly name: string
  readonly orphanSignal: NodeJS.Signals
}

/** Returns the processes recorded in a run directory; null without a record. A damaged record names no process. */
export function readRecord(directory: string): ProcessRecord | null {
  const text = readIfPresent(join(directory, 'pids.json'))
  if (text === null) return null
  try {
    return JSON.parse(text) as ProcessRecord
  } catch {
    // After a power failure the file may be empty, and none of its processes runs.
    return { launcher: { pid: 0, started: '' }, children: [] }
  }
}

/** Records the processes of this launcher. */
export function writeRecord(directory: string, children: readonly RecordedChild[]): void {
  const launcher = identify(process.pid)
  if (launcher === null) throw new Error('This process has no identity')
  writeWhole(join(directory, 'pids.json'), `${JSON.stringify({ launcher, children }, null, 1)}\n`)
}

/** Returns the recorded launcher, if it runs and is not this process. */
export function recordedLauncher(record: ProcessRecord | null): Identity | null {
  if (record === null || record.launcher.pid === process.pid || !isAlive(record.launcher)) return null
  return record.launcher
}

/** Ends the children of a killed launcher; returns their names. */
export async function endLeftovers(directory: string): Promise<string[]> {
  const left = (readRecord(directory)?.children ?? []).filter((child) =>
    signalProcess(child, child.orphanSignal),
  )
  await Promise.all(left.map((child) => awaitEnd(child)))
  return left.map((child) => child.name)
}

/** The time between the orphan signal and SIGKILL. */
const GRACE_MS = 10_000

async function awaitEnd(child: RecordedChild): Promise<void> {
  const killAt = performance.now() + GRACE_MS
  await until(
    () => {
      if (performance.now() > killAt) signalProcess(child, 'SIGKILL')
      return !isAlive(child)
    },
    {
      what: `Stopping ${child.name} of an earlier start (process ${child.pid})`,
      withinMs: GRACE_MS + 10_000,
    },
  )
}
