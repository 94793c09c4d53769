import { readdirSync, readFileSync } from 'node:fs'

/** Sends a signal to processes and all that they have started: PostgreSQL works in children of its own. */
export function sendToTrees(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of treesOf(pids)) sendTo(pid, signal)
}

export function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It was dead already, killed before or just being started again.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function treesOf(roots: readonly number[]): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  )
  const found = new Set(roots)
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const [pid, parent] of parents) if (parent !== null && found.has(parent)) found.add(pid)
  }
  return [...found]
}

function parentOf(pid: string): number | null {
  try {
    // The name in parentheses may hold anything, so the fields are counted from the last one on.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // It ended between the two readings.
    return null
  }
}
