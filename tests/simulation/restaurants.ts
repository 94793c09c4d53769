import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import type { Receipt, Transmission } from '../../services/orders/src/delivery/outside/restaurant-link.ts'
import type { Receipt as ReceiptLine } from '../support/books.ts'
import { me, simulation } from './simulation.ts'
import type { World } from './world.ts'

/** The time in which a restaurant must respond (services/orders, restaurant-link). */
const RESPONSE_WITHIN_MS = 10_000
const LATEST_MS = 30_000

/** Returns true for a cancellation that neither the restaurant nor a deadline caused. */
export const isByOthers = (cancellation: PlacedOrder['cancellation'] | undefined): boolean =>
  cancellation?.cancelledBy === 'customer' || cancellation?.cancelledBy === 'operator'

/** The behaviour of a restaurant, by its apiKey. */
export const RESTAURANTS = {
  accepts: 'restaurant-accepts',
  refuses: 'restaurant-refuses',
  test: 'restaurant-test',
  /** Accepts an order, and rejects it later. */
  recants: 'restaurant-recants',
  unreachable: 'restaurant-unreachable',
  silent: 'restaurant-silent',
  /** Closes while the bank waits for a customer. */
  closes: 'restaurant-closes',
} as const

/** Restaurants that recognise an order by its webhook id, as Standard Webhooks requires. */
export class Restaurants {
  readonly receipts: ReceiptLine[] = []
  /** No restaurant accepts a connection until then. */
  downUntil = 0
  recant: (order: PlacedOrder) => void = () => undefined
  /** Orders whose cancellation a restaurant has received. */
  readonly cancelled = new Set<string>()
  readonly #known = new Map<string, Receipt>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  transmit({ webhookId, order }: Transmission): Promise<Receipt> {
    const world = this.#world
    const caller = me()
    // Only the holder of a lease may send an order or end its delivery.
    const { deliveries, orders } = simulation().database
    const isGivenUp = deliveries.get(order.apiKey)?.outcome === 'unreachable'
    // A cancellation may arrive at any moment of an attempt. Its notification waits for the end of the attempt.
    if (isGivenUp && !isByOthers(orders.get(order.apiKey)?.cancellation))
      world.mistake('sent after it was given up', webhookId)
    return new Promise((resolve) => {
      const respond = (receipt: Receipt, inMs = world.hop()) =>
        world.later(inMs, caller, () => resolve(receipt))
      const silence = () => respond({ kind: 'unknown', reason: 'no response' }, RESPONSE_WITHIN_MS)
      const isUnavailable = order.restaurantApiKey === RESTAURANTS.unreachable || this.downUntil > world.now
      if (isUnavailable || world.strikes('restaurant away'))
        return void respond({ kind: 'not-reached', reason: 'ECONNREFUSED' })
      const isSilent = order.restaurantApiKey === RESTAURANTS.silent
      if (isSilent || world.strikes('restaurant: request lost')) return void silence()
      if (world.strikes('restaurant: request late')) {
        world.arrive(world.random.next() * LATEST_MS, null, () => void this.#receive(webhookId, order))
        return void silence()
      }
      world.arrive(world.hop(), caller, () => {
        const failsBefore = world.random.next() < 0.5
        if (world.strikes('restaurant: 500')) {
          if (!failsBefore) this.#receive(webhookId, order)
          return void respond({ kind: 'unknown', reason: 'status 500' })
        }
        const receipt = this.#receive(webhookId, order)
        return void (world.strikes('restaurant: reply lost') ? silence() : respond(receipt))
      })
    })
  }

  /** Notifies the restaurant of a cancellation. Resolves with true if the restaurant confirms it. */
  cancel({ order }: Transmission): Promise<boolean> {
    const world = this.#world
    const caller = me()
    return new Promise((resolve) => {
      const respond = (told: boolean) => world.later(world.hop(), caller, () => resolve(told))
      const isUnavailable = [RESTAURANTS.unreachable, RESTAURANTS.silent].includes(
        order.restaurantApiKey as never,
      )
      if (isUnavailable || this.downUntil > world.now || world.strikes('restaurant away'))
        return void respond(false)
      world.arrive(world.hop(), caller, () => {
        this.cancelled.add(order.apiKey)
        respond(!world.strikes('restaurant: reply lost'))
      })
    })
  }

  /** A console shows an order at its commit, so the order counts as accepted from then on. */
  show(orderApiKey: string): void {
    this.receipts.push({ orderApiKey, outcome: 'accepted' })
  }

  /** The restaurant rejected an order that it had accepted. */
  refused(orderApiKey: string): void {
    for (const receipt of this.receipts) if (receipt.orderApiKey === orderApiKey) receipt.outcome = 'refused'
  }

  #receive(webhookId: string, order: PlacedOrder): Receipt {
    const { apiKey, restaurantApiKey } = order
    const known = this.#known.get(webhookId)
    if (known) return known
    const outcome = restaurantApiKey === RESTAURANTS.refuses ? 'refused' : 'accepted'
    this.#world.note(`restaurant: ${apiKey.slice(0, 4)} ${outcome}`)
    this.receipts.push({ orderApiKey: apiKey, outcome })
    if (restaurantApiKey === RESTAURANTS.recants) this.recant(order)
    const receipt: Receipt =
      outcome === 'refused' ? { kind: 'refused', reason: 'too busy' } : { kind: 'accepted' }
    this.#known.set(webhookId, receipt)
    return receipt
  }
}
