import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Installation, Reply } from './installation.ts'
import type { TestStripe } from './stripe.ts'

/** What the situations share. Each situation begins with a platform that works. */
export type World = {
  installation: Installation
  stripe: TestStripe
  keys: { application: string; applicationId: string; restaurant: string }
  restaurantApiKey: string
  itemApiKey: string
  tablet: Tablet
}

/** `run` returns what was measured. It throws when the promise of the title does not hold. */
export type Situation = { title: string; run: (world: World) => Promise<string> }

export function check(isTrue: boolean, sentence: string): asserts isTrue {
  if (!isTrue) throw new Error(sentence)
}

const HOLDER = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '2 E Main St',
  cardholderZip: '53703',
}

/** Sends an order for pickup. */
export function sendOrder(
  world: World,
  payment: 'cash' | 'card',
  idempotencyKey: string = randomUUID(),
): Promise<Reply> {
  const { installation, keys, restaurantApiKey, itemApiKey } = world
  const recipient = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  const items = [{ apiKey: itemApiKey }]
  const order = { restaurantApiKey, items, method: 'pickup', payment, recipient }
  return installation.call('/publicapi/v1/send-order', {
    key: keys.application,
    idempotencyKey,
    // Numbers are refused with a real processor.
    body:
      payment === 'card' ? { ...order, card: { ...HOLDER, processorToken: world.stripe.cardToken } } : order,
  })
}

/** Repeats `attempt` until it returns true. Returns the seconds that it took. */
export async function secondsUntil(
  attempt: () => Promise<boolean>,
  { what, withinS }: { what: string; withinS: number },
): Promise<number> {
  const from = performance.now()
  const elapsed = () => (performance.now() - from) / 1000
  for (;;) {
    if (await attempt().catch(() => false)) return elapsed()
    check(elapsed() < withinS, `${what}: not within ${withinS} s`)
    await wait(250)
  }
}

/** The restaurant's console: it asks for its orders, which is attendance. */
export class Tablet {
  readonly #world: () => World
  #timer: NodeJS.Timeout | undefined

  constructor(world: () => World) {
    this.#world = world
  }

  async connect(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => void this.#read().catch(() => 'the platform is restarting'), 10_000)
    await this.#read().catch(() => 'the platform is restarting')
  }

  disconnect(): void {
    clearInterval(this.#timer)
  }

  #read(): Promise<Reply> {
    const { installation, keys } = this.#world()
    return installation.call('/restaurantapi/v1/orders?limit=1', { key: keys.restaurant })
  }
}
