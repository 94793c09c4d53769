import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/* A process of its own for a piece of the bench: whose CPU counts, and whose does not, is told by processes. */

/** What each worker takes and gives. */
type Reply<R> = { ready: string } | { done: R } | { failed: string }
/** Does a job of a worker. */
export type Handle<J, R> = (job: J) => Promise<R>

/** To be called once by a worker: does one job after the other. `ready` is what it has to say first. */
export function serve<J, R>(ready: string, handle: Handle<J, R>): void {
  const say = (reply: Reply<R>) => void process.send?.(reply)
  process.on('message', (job: J) => {
    handle(job).then(
      (done) => say({ done }),
      (error: unknown) =>
        say({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit(0))
  say({ ready })
}

/** A running worker. */
export class Worker<J extends object, R> {
  readonly #child: ChildProcess
  /** What it said when it was ready: an address, if it listens. */
  readonly address: string

  private constructor(child: ChildProcess, address: string) {
    this.#child = child
    this.address = address
  }

  /** Starts a file of this folder; rejects when it ends before it is ready. */
  static async start<J extends object, R>(file: string, args: readonly string[] = []): Promise<Worker<J, R>> {
    const child = fork(join(import.meta.dirname, file), args, {
      // As services have it; the bench's own environment may name servers that are not meant.
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    })
    const reply = await replyOf<R>(child)
    if (!('ready' in reply))
      throw new Error(`${file}: ${'failed' in reply ? reply.failed : 'no word of being ready'}`)
    return new Worker<J, R>(child, reply.ready)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async run(job: J): Promise<R> {
    const replied = replyOf<R>(this.#child)
    this.#child.send(job)
    const reply = await replied
    if ('done' in reply) return reply.done
    throw new Error('failed' in reply ? reply.failed : 'a worker began anew')
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await ended
  }
}

async function replyOf<R>(child: ChildProcess): Promise<Reply<R>> {
  const gaveUp = new AbortController()
  const { signal } = gaveUp
  try {
    const [reply] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => [
        { failed: `it ended with exit code ${String(code)}` },
      ]),
    ])) as [Reply<R>]
    return reply
  } finally {
    gaveUp.abort()
  }
}
