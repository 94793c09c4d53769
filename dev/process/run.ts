import type { ProcessHost, ProcessSpec } from './host.ts'

/** The options of `runToEnd`. */
export type Run = {
  /** Called with the last line of the output, whenever it changes. */
  readonly now?: (line: string) => void
  /** Stops the program after this time. */
  readonly withinMs?: number
  /** Stops the program. */
  readonly signal?: AbortSignal | undefined
}

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000

/** Runs a program to its end. If it fails, throws with its last output. */
export async function runToEnd(host: ProcessHost, spec: ProcessSpec, run: Run): Promise<void> {
  run.signal?.throwIfAborted()
  const late = run.withinMs === undefined ? null : AbortSignal.timeout(run.withinMs)
  const stop = AbortSignal.any([run.signal, late].filter((signal) => signal instanceof AbortSignal))
  const child = host.spawn(spec)
  let shown = ''
  const follow = setInterval(() => {
    const line = child.output().split('\n').at(-1)?.trim().slice(0, 100) ?? ''
    if (line !== shown) run.now?.(line)
    shown = line
  }, 500)
  const end = () => void child.stop(GRACE_MS)
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
