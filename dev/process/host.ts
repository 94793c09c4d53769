import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { endOfLog, rotateLog } from './files.ts'
import { identify, sendSignal } from './identity.ts'
import { writeRecord, type RecordedChild } from './record.ts'
import { within } from './wait.ts'

/** A program to run as a child of the launcher. */
export interface ProcessSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The file that its output is appended to. */
  readonly log: string
  /** Both the user and the group to run as, where not our own. */
  readonly user?: number
  /** What it gets for a clean end. */
  readonly stopSignal: NodeJS.Signals
  /** What it gets when the launcher died under it; null lets it finish what it does. */
  readonly orphanSignal: NodeJS.Signals | null
}

/** A running child. */
export interface Child {
  readonly pid: number | null
  /** How it ended, as the rest of a sentence: "ended with exit code 1". */
  readonly ended: Promise<Ending>
  /** Asks it to end, insists with SIGKILL after `graceMs`, and waits until it is gone. */
  stop(graceMs: number): Promise<void>
  /** The end of what it has written. */
  output(): string
}

/** How a child ended. */
export interface Ending {
  readonly clean: boolean
  readonly how: string
}

/** Starts every child of one launcher, and sees to it that none outlives it. */
export interface ProcessHost {
  readonly directory: string
  readonly logs: string
  /** True once everything is to end: nothing is started again. */
  readonly closing: boolean
  spawn(spec: ProcessSpec): Child
  /** From now on nothing is started again. */
  close(): void
  /** Ends every child that is left, each in its own way; SIGKILL after `graceMs`. */
  stopAll(graceMs: number): Promise<void>
  /** Kills every child at once, except those that are to finish. */
  killAll(): void
}

/** A host whose children are recorded in `<directory>/pids.json` and log to `<directory>/logs`. */
export function createProcessHost(directory: string): ProcessHost {
  const logs = join(directory, 'logs')
  mkdirSync(logs, { recursive: true })
  const children = new Map<number, Tracked>()
  let closing = false
  const record = () =>
    writeRecord(
      directory,
      [...children.values()].map((tracked) => tracked.identity),
    )
  record()
  return {
    directory,
    logs,
    get closing() {
      return closing
    },
    close: () => {
      closing = true
    },
    spawn: (spec) => {
      const child = startChild(spec)
      const identity = child.pid === null ? null : identify(child.pid)
      const { name, orphanSignal } = spec
      if (identity === null || orphanSignal === null) return child
      children.set(identity.pid, { child, identity: { ...identity, name, orphanSignal } })
      record()
      void child.ended.then(() => {
        children.delete(identity.pid)
        record()
      })
      return child
    },
    stopAll: async (graceMs) => {
      await Promise.all([...children.values()].map((tracked) => tracked.child.stop(graceMs)))
    },
    killAll: () => {
      closing = true
      for (const pid of children.keys()) sendSignal(pid, 'SIGKILL')
    },
  }
}

/** The first program of this name on PATH or in the further folders; null when there is none. */
export function findProgram(name: string, ...folders: string[]): string | null {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...folders]) {
    const file = join(folder, name)
    if (folder !== '' && isExecutable(file)) return file
  }
  return null
}

function isExecutable(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

interface Tracked {
  readonly child: Child
  readonly identity: RecordedChild
}

// setpriv (util-linux) asks the kernel to signal the child when its parent dies, then becomes the child's
// program under the same process number. A session of its own keeps the terminal's Ctrl-C away from the child.
function startChild(spec: ProcessSpec): Child {
  mkdirSync(dirname(spec.log), { recursive: true })
  rotateLog(spec.log)
  const output = openSync(spec.log, 'a')
  const from = statSync(spec.log).size
  const [command, args] = tiedToParent(spec)
  const user = spec.user === undefined ? {} : { uid: spec.user, gid: spec.user }
  const { cwd, env } = spec
  const child = spawn(command, args, { cwd, env, ...user, detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ clean: false, how: `could not be started: ${error.message}` }))
    child.once('exit', (code, signal) => {
      resolve({ clean: code === 0, how: signal ? `was ended by ${signal}` : `ended with exit code ${code}` })
    })
  })
  return {
    pid: child.pid ?? null,
    ended,
    output: () => endOfLog(spec.log, from),
    stop: async (graceMs) => {
      child.kill(spec.stopSignal)
      if ((await within(graceMs, ended)) === null) child.kill('SIGKILL')
      await ended
    },
  }
}

let setpriv: string | null | undefined

function tiedToParent(spec: ProcessSpec): [string, string[]] {
  setpriv ??= process.platform === 'linux' ? findProgram('setpriv', '/usr/bin') : null
  if (setpriv === null || spec.orphanSignal === null) return [spec.command, [...spec.args]]
  const signal = spec.orphanSignal.slice('SIG'.length)
  return [setpriv, ['--pdeathsig', signal, '--', spec.command, ...spec.args]]
}
