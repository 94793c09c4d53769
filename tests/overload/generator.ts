import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Outcomes, Plan, Source } from './load.ts'

/** The load generator's process (`load.ts`), and what comes of its plans. */
export class Generator {
  readonly #child: ChildProcess
  readonly #gateway: URL

  constructor(gateway: string) {
    this.#gateway = new URL(gateway)
    this.#child = fork(new URL('load.ts', import.meta.url))
  }

  /** Sends from all sources for so many seconds, and gives what came of it when all is answered. */
  async run(seconds: number, sources: Source[]): Promise<Outcomes> {
    const plan: Plan = { host: this.#gateway.hostname, port: Number(this.#gateway.port), seconds, sources }
    this.#child.send(plan)
    const [outcomes] = (await once(this.#child, 'message')) as [Outcomes]
    return outcomes
  }

  close(): void {
    this.#child.kill()
  }
}
