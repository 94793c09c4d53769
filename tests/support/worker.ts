import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/* A separate process for one part of a measurement, so that its CPU is counted, or left out, separately. */

/** Messages of a worker: `ready` once, then one `done` or `failed` for each job. */
type Reply<R> = { ready: string } | { done: R } | { failed: string }

/** Executes a job. */
export type Handle<J, R> = (job: J) => Promise<R>

const send = (reply: Reply<unknown>) => void process.send?.(reply)

/** Called once by the program of a worker. Handles one job after another. `ready` is the address, if the worker listens. */
export function serve<J, R>(ready: string, handle: Handle<J, R>): void {
  process.on('message', (job: J) => {
    handle(job).then(
      (done) => send({ done }),
      (error: unknown) =>
        send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
  send({ ready })
}

/** A running worker. */
export class Worker<J extends object, R> {
  readonly #child: ChildProcess
  /** The value that the program passed to `serve`. */
  readonly address: string

  private constructor(child: ChildProcess, address: string) {
    this.#child = child
    this.address = address
  }

  /** Starts a program. Rejects if the program ends before it is ready. */
  static async start<J extends object, R>(program: URL, args: readonly string[] = []): Promise<Worker<J, R>> {
    const child = fork(program, args, {
      // The same variables as for services. The environment of the tool may name other servers.
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    })
    const reply = await replyOf<R>(child)
    if ('ready' in reply) return new Worker<J, R>(child, reply.ready)
    throw new Error(
      `${program.pathname}: ${'failed' in reply ? reply.failed : 'a result before it was ready'}`,
    )
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async run(job: J): Promise<R> {
    const replied = replyOf<R>(this.#child)
    this.#child.send(job)
    const reply = await replied
    if ('done' in reply) return reply.done
    throw new Error('failed' in reply ? reply.failed : 'the worker restarted')
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await ended
  }
}

async function replyOf<R>(child: ChildProcess): Promise<Reply<R>> {
  const over = new AbortController()
  const { signal } = over
  try {
    const [reply] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => [{ failed: `exit code ${String(code)}` }]),
    ])) as [Reply<R>]
    return reply
  } finally {
    over.abort()
  }
}
