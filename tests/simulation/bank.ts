import { randomOf, type Random } from '../support/random.ts'
import type { Kind } from './clients.ts'
import { restaurantOf } from './restaurants.ts'
import { clients, database, processor, replicas, world } from './simulation.ts'

/** The reaction of an order's customer at the bank. The restaurant of `closing` closes after the start of the challenge. */
const AT_THE_BANK = ['confirmed', 'denied', 'ignored', 'closing'] as const
export type AtTheBank = (typeof AT_THE_BANK)[number]
export const isAtTheBank = (kind: Kind): kind is AtTheBank => (AT_THE_BANK as readonly Kind[]).includes(kind)

const SHARE_OF_RUNS = 0.12
/** From this time before the expiry of a challenge, no fault occurs, and a confirmation must lead to a transmission. */
const IN_TIME_MS = 400_000
const EVENT_WITHIN_MS = 5_000

/**
 * Customers at their bank, in a part of the runs. They confirm, deny or ignore a challenge, also late and twice. The events of the
 * processor are lost, late and repeated. Its random choices are separate, so the other runs are equal with and without it.
 */
export class Bank {
  /** Orders whose customer confirmed in time. */
  readonly confirmed = new Set<string>()
  /** Restaurants that have closed. */
  readonly closed = new Set<string>()
  readonly #random: Random
  readonly #isActive: boolean
  readonly #visited = new Set<string>()
  readonly #opened = new Map<string, number>()

  constructor(seed: number) {
    this.#random = randomOf(seed ^ 0xba_4c)
    this.#isActive = this.#random.next() < SHARE_OF_RUNS
  }

  kindOf(kind: Kind): Kind {
    return this.#isActive && kind === 'card' ? this.#random.pick([...AT_THE_BANK, 'confirmed', 'card']) : kind
  }

  /** Records that the bank now waits for the customer of an order. */
  challenge(orderApiKey: string): void {
    if (!this.#opened.has(orderApiKey)) this.#opened.set(orderApiKey, world.now)
    const restaurant = database.orders.get(orderApiKey)?.restaurantApiKey
    if (restaurant === restaurantOf('closing')) this.closed.add(restaurant)
  }

  /** The customer opens the page of the bank, and reacts at any time. Only the first call counts. */
  visit(kind: Kind, id: string | undefined): void {
    if (id === undefined || this.#visited.has(id) || !isAtTheBank(kind) || kind === 'ignored') return
    this.#visited.add(id)
    const outcome = kind === 'denied' ? 'no' : 'yes'
    const inMs = this.#random.next() * this.#random.pick([1_000, 10_000, 60_000, 60_000, 800_000])
    for (const at of this.#random.next() < 0.2 ? [inMs, inMs + 500] : [inMs])
      world.schedule(at, clients.process, () => this.#settle(id, outcome))
  }

  #settle(id: string, outcome: 'yes' | 'no'): void {
    const orderApiKey = processor.endChallenge(id, outcome)
    if (orderApiKey === null) return
    const openedAt = this.#opened.get(orderApiKey) ?? 0
    if (outcome === 'yes' && world.now < openedAt + IN_TIME_MS) this.confirmed.add(orderApiKey)
    for (let copies = this.#random.pick([0, 1, 1, 2]); copies > 0; copies--) this.#send(orderApiKey, id)
  }

  /** Sends the event of the processor to a replica of payments, if one is alive. */
  #send(orderApiKey: string, event: string): void {
    const { process, api } = this.#random.pick(replicas.payments)
    if (!process?.isAlive || !api) return
    world.schedule(this.#random.next() * EVENT_WITHIN_MS, process, () => {
      void api.notify(orderApiKey, event).catch(() => world.note('an event was lost'))
    })
  }
}
