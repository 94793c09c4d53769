import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/* A separate process for one part of a measurement, so that its CPU is counted, or left out, separately. */

/** Executes a job. */
type Handle<J, R> = (job: J) => Promise<R>

const send = (reply: unknown) => void process.send?.({ reply })

/** Called once by the program of a worker. Handles one job after another. `ready` is the address, if the worker listens. */
export function serve<J, R>(ready: string, handle: Handle<J, R>): void {
  // A rejection ends the process, with its stack trace on standard error.
  process.on('message', (job: J) => void handle(job).then(send))
  process.on('disconnect', () => process.exit(0))
  send(ready)
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
    return new Worker<J, R>(child, (await replyOf(child)) as string)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async run(job: J): Promise<R> {
    const reply = replyOf(this.#child)
    this.#child.send(job)
    return (await reply) as R
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await ended
  }
}

/** Rejects if the process ends before its reply. */
async function replyOf(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const fail = (code: number | null) =>
    reject(new Error(`${child.spawnargs.join(' ')} ended with code ${String(code)}`))
  child.once('exit', fail).once('message', ({ reply }: { reply: unknown }) => resolve(reply))
  return promise.finally(() => child.off('exit', fail))
}
