import { join } from 'node:path'
import { readIfPresent, identify, isAlive, signalProcess, type Identity } from './identity.ts'
import { writeWhole } from './files.ts'
import { until } from './wait.ts'

/** What `pids.json` in a run directory says: who started what. */
export interface ProcessRecord {
  readonly launcher: Identity
  readonly children: readonly RecordedChild[]
}

/** A child process, and the signal that ends it without a launcher. */
export interface RecordedChild extends Identity {
  readonly name: string
  readonly orphanSignal: NodeJS.Signals
}

/** The processes recorded in a run directory; null when none ever were. */
export function readRecord(directory: string): ProcessRecord | null {
  const text = readIfPresent(join(directory, 'pids.json'))
  return text === null ? null : (JSON.parse(text) as ProcessRecord)
}

/** Records the processes of this launcher. */
export function writeRecord(directory: string, children: readonly RecordedChild[]): void {
  const launcher = identify(process.pid)
  if (launcher === null) throw new Error('This process has no identity')
  writeWhole(join(directory, 'pids.json'), `${JSON.stringify({ launcher, children }, null, 1)}\n`)
}

/** The recorded launcher, when it is another process than this one and still runs. */
export function recordedLauncher(record: ProcessRecord | null): Identity | null {
  if (record === null || record.launcher.pid === process.pid || !isAlive(record.launcher)) return null
  return record.launcher
}

/** Ends what a launcher that was killed has left running; gives the names of what there was. */
export async function endLeftovers(directory: string): Promise<string[]> {
  const left = (readRecord(directory)?.children ?? []).filter((child) =>
    signalProcess(child, child.orphanSignal),
  )
  await Promise.all(left.map((child) => awaitEnd(child)))
  return left.map((child) => child.name)
}

/** Those that end cleanly by themselves get this long before SIGKILL. */
const endPatienceMs = 10_000

async function awaitEnd(child: RecordedChild): Promise<void> {
  const patience = performance.now() + endPatienceMs
  await until(
    () => {
      if (performance.now() > patience) signalProcess(child, 'SIGKILL')
      return !isAlive(child)
    },
    { what: `Ending a left-over ${child.name} (process ${child.pid})`, withinMs: endPatienceMs + 10_000 },
  )
}
