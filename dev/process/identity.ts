import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process, distinguished from a later one with the same id. */
export type Identity = {
  readonly pid: number
  readonly started: string
}

/** Returns the identity of a running process; null if it does not exist or is a zombie. */
export function identify(pid: number): Identity | null {
  const started = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid)
  return started === null ? null : { pid, started }
}

/** True while exactly this process runs. */
export function isAlive(identity: Identity): boolean {
  return identify(identity.pid)?.started === identity.started
}

/** Signals exactly this process. Returns false if it has ended. */
export function signalProcess(identity: Identity, signal: NodeJS.Signals): boolean {
  return isAlive(identity) && sendSignal(identity.pid, signal)
}

/** Signals a process id. Returns false if no process has it. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}

/** Returns the `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Returns the text of a file; null if it does not exist. */
export function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // A process that ends while its /proc entry is read gives ESRCH.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null
    throw error
  }
}

/** Returns the fields of /proc/PID/stat from the third on. The second field, the name, may contain spaces and parentheses. */
export function statFields(pid: number): string[] | null {
  const stat = readIfPresent(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? null
}

// The start time counts clock ticks since boot, so the id of the boot is part of the identity.
function startOnLinux(pid: number): string | null {
  const fields = statFields(pid) ?? []
  const [state] = fields
  const ticks = fields[19]
  if (ticks === undefined || state === 'Z' || state === 'X') return null
  return `${readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${ticks}`
}

function startByPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '')
  } catch (error) {
    // `ps -p` exits with 1 for a process that does not exist.
    if (error instanceof Error && 'status' in error && error.status === 1) return null
    throw error
  }
}
