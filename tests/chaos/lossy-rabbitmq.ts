import type { Servers } from '../../dev/servers/find.ts'
import { proxyTo, type Proxy } from '../../packages/testkit/src/proxy.ts'
import { DroppedPublishes } from './dropped-publishes.ts'
import type { Random } from '../support/random.ts'

/** Drops messages on their way to RabbitMQ, each with the same probability. */
export class LossyRabbitmq {
  published = 0
  dropped = 0
  readonly #probability: number
  readonly #random: Random
  readonly #proxies: Proxy[] = []

  constructor(probability: number, random: Random) {
    this.#probability = probability
    this.#random = random
  }

  /** Returns the servers for services, with a lossy connection to RabbitMQ. Tools use the connection without loss. */
  async between(servers: Servers): Promise<Servers> {
    const { rabbitmq } = servers
    const ways = Object.entries(rabbitmq.urls ?? {}).map(async ([service, url]) => {
      const proxy = await proxyTo(url, { filter: () => new DroppedPublishes(() => this.#isDropped()) })
      this.#proxies.push(proxy)
      return [service, proxy.url] as const
    })
    return { ...servers, rabbitmq: { ...rabbitmq, urls: Object.fromEntries(await Promise.all(ways)) } }
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()))
  }

  #isDropped(): boolean {
    this.published += 1
    const isDropped = this.#random.next() < this.#probability
    if (isDropped) this.dropped += 1
    return isDropped
  }
}
