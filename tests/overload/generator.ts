import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Outcomes, Plan, Source } from './load.ts'

/** The load generator's process (`load.ts`), and what comes of its plans. */
export class Generator {
  readonly #child: ChildProcess
  readonly #gateway: URL
  readonly #connections: number

  constructor(gateway: string, connections: number) {
    this.#connections = connections
    this.#gateway = new URL(gateway)
    this.#child = fork(new URL('load.ts', import.meta.url))
  }

  /** Sends from all sources for so many seconds, and gives what came of it when all is answered. */
  async run(seconds: number, sources: Source[]): Promise<Outcomes> {
    if (sources.length === 0) return {}
    const { hostname: host, port } = this.#gateway
    const plan: Plan = { host, port: Number(port), connections: this.#connections, seconds, sources }
    this.#child.send(plan)
    const [outcomes] = (await once(this.#child, 'message')) as [Outcomes]
    return outcomes
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  close(): void {
    this.#child.kill()
  }
}
