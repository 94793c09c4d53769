import type { ProcessHost, ProcessSpec } from './host.ts'

/** How to run a program to its end: see `runToEnd`. */
export interface Run {
  /** Called with the line that the program wrote last, whenever that is another one. */
  readonly now: (line: string) => void
  /** Asks it to end after this time. */
  readonly withinMs?: number
  /** Asks it to end. */
  readonly signal?: AbortSignal | undefined
}

/** A program that was asked to end gets this long before SIGKILL. */
const graceMs = 5000

/** Runs a program to its end. Throws with its last words when it does not succeed. */
export async function runToEnd(host: ProcessHost, spec: ProcessSpec, run: Run): Promise<void> {
  run.signal?.throwIfAborted()
  const late = run.withinMs === undefined ? null : AbortSignal.timeout(run.withinMs)
  const stop = AbortSignal.any([run.signal, late].filter((signal) => signal instanceof AbortSignal))
  const child = host.spawn(spec)
  let shown = ''
  const follow = setInterval(() => {
    const line = child.output().split('\n').at(-1)?.trim().slice(0, 100) ?? ''
    if (line !== shown) run.now(line)
    shown = line
  }, 500)
  const end = () => void child.stop(graceMs)
  stop.addEventListener('abort', end, { once: true })
  try {
    const { clean, how } = await child.ended
    run.signal?.throwIfAborted()
    const because = late?.aborted === true ? `took longer than ${(run.withinMs ?? 0) / 1000} s` : how
    if (!clean) throw new Error(`${spec.name} ${because}:\n${child.output()}`)
  } finally {
    clearInterval(follow)
    stop.removeEventListener('abort', end)
  }
}
