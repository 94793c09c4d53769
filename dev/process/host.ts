import { spawn, spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { endOfLog, rotateLog } from './files.ts'
import { identify, sendSignal } from './identity.ts'
import { writeRecord, type RecordedChild } from './record.ts'
import { within } from './wait.ts'

/** A program to run as a child of the launcher. */
export type ProcessSpec = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The file for its output, which is appended. */
  readonly log: string
  /** The user and group id to run as; default: those of the launcher. */
  readonly user?: number
  /** The signal for a clean end; default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals
  /** The signal if the launcher dies; default: SIGKILL. Null lets the program finish. */
  readonly orphanSignal?: NodeJS.Signals | null
}

/** A running child. */
export type Child = {
  readonly pid: number | null
  /** Resolves at its end. */
  readonly ended: Promise<Ending>
  /** Sends the stop signal, and SIGKILL after `graceMs`. Resolves at its end. */
  stop(graceMs: number): Promise<void>
  /** Returns the last lines of its output. */
  output(): string
}

/** How a child ended. `how` continues a sentence: "ended with exit code 1". */
type Ending = {
  readonly clean: boolean
  readonly how: string
}

/** Starts the children of one launcher. None outlives it. */
export type ProcessHost = {
  readonly directory: string
  readonly logs: string
  /** True once the launcher stops: no child is restarted. */
  readonly closing: boolean
  spawn(spec: ProcessSpec): Child
  /** Sets `closing`. */
  close(): void
  /** Stops all remaining children by their stop signals, with SIGKILL after `graceMs`. */
  stopAll(graceMs: number): Promise<void>
  /** Kills all children at once, except those with a null `orphanSignal`. */
  killAll(): void
}

/** Returns a host that records its children in `<directory>/pids.json` and logs to `<directory>/logs`. */
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
      const { name, orphanSignal = 'SIGKILL' } = spec
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

/** Returns the first program of this name on PATH or in the further folders; null if there is none. */
export function findProgram(name: string, ...folders: string[]): string | null {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...folders]) {
    const file = join(folder, name)
    if (folder !== '' && isExecutable(file)) return file
  }
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    // Absent, or in a folder that this user may not enter: `su` keeps the PATH of root.
    return false
  }
}

type Tracked = {
  readonly child: Child
  readonly identity: RecordedChild
}

// setpriv (util-linux) makes the kernel signal the child when its parent dies, and then executes the program under the same process
// id. A new session prevents that the terminal's Ctrl-C reaches the child.
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
      child.kill(spec.stopSignal ?? 'SIGTERM')
      if ((await within(graceMs, ended)) === null) child.kill('SIGKILL')
      await ended
    },
  }
}

let setpriv: string | null | undefined

function tiedToParent({ command, args, orphanSignal = 'SIGKILL' }: ProcessSpec): [string, string[]] {
  if (setpriv === undefined) setpriv = findSetpriv()
  if (setpriv === null || orphanSignal === null) return [command, [...args]]
  return [setpriv, ['--pdeathsig', orphanSignal.slice('SIG'.length), '--', command, ...args]]
}

/** Returns null for a setpriv without this option: those of BusyBox (Alpine) and RHEL 8. */
function findSetpriv(): string | null {
  const program = process.platform === 'linux' ? findProgram('setpriv', '/usr/bin') : null
  if (program === null) return null
  return spawnSync(program, ['--pdeathsig', 'KILL', '--', 'true']).status === 0 ? program : null
}
