import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import {
  RESPOND_WITHIN_MS,
  type Receipt,
  type Transmission,
} from '../../services/orders/src/delivery/outside/restaurant-link.ts'
import type { Receipt as ReceiptLine } from '../support/books.ts'
import type { Kind } from './clients.ts'
import { clients, database, currentProcess, world } from './simulation.ts'

/** Returns true for a cancellation that neither the restaurant nor a deadline caused. */
export const isByOthers = (cancellation: PlacedOrder['cancellation'] | undefined): boolean =>
  cancellation?.cancelledBy === 'customer' || cancellation?.cancelledBy === 'operator'

/** The kinds of orders whose restaurant does not simply accept them. Its apiKey is the kind. */
const KINDS: readonly Kind[] = ['refused', 'test', 'refusedLater', 'unreachable', 'silent', 'closing']
export const ACCEPTING = 'accepting'
export const restaurantOf = (kind: Kind): string => (KINDS.includes(kind) ? kind : ACCEPTING)

const kindOf = ({ restaurantApiKey }: PlacedOrder) => restaurantApiKey as Kind | typeof ACCEPTING

/** Restaurants that recognise an order by its webhook id, as Standard Webhooks requires. */
export class Restaurants {
  readonly receipts: ReceiptLine[] = []
  /** No restaurant accepts a connection until then. */
  downUntil = 0
  /** Orders whose cancellation a restaurant has received. */
  readonly cancelled = new Set<string>()
  readonly #known = new Map<string, Receipt>()

  transmit({ webhookId, order }: Transmission): Promise<Receipt> {
    const { apiKey } = order
    const kind = kindOf(order)
    // Only the holder of a lease may send an order or end its delivery.
    const isGivenUp = database.deliveries.get(apiKey)?.outcome === 'unreachable'
    // A cancellation may arrive at any moment of an attempt. Its notification waits for the end of the attempt.
    if (isGivenUp && !isByOthers(database.orders.get(apiKey)?.cancellation))
      world.recordViolation(`sent after the end of its delivery: ${webhookId}`)
    const effect = () => this.#receive(webhookId, order)
    return world.exchange<Receipt>('restaurant', {
      isUnavailable: kind === 'unreachable' || this.downUntil > world.now,
      isUnresponsive: kind === 'silent',
      unavailable: { kind: 'not-reached', reason: 'ECONNREFUSED' },
      timedOut: { kind: 'unknown', reason: 'no response' },
      withinMs: RESPOND_WITHIN_MS,
      effect,
      handle: (respond, timeOut) => {
        const failsBefore = world.random.next() < 0.5
        const isError = world.faultOccurs('restaurant: 500')
        const receipt = isError && failsBefore ? null : effect()
        if (isError || !receipt) return respond({ kind: 'unknown', reason: 'status 500' })
        if (world.faultOccurs('restaurant: reply lost')) return timeOut()
        respond(receipt)
      },
    })
  }

  /** Notifies the restaurant of a cancellation. Resolves with null if the restaurant confirms it. */
  cancel({ order }: Transmission): Promise<string | null> {
    const caller = currentProcess()
    const kind = kindOf(order)
    const isUnavailable = kind === 'unreachable' || kind === 'silent' || this.downUntil > world.now
    return world.call((respond) => {
      if (isUnavailable || world.faultOccurs('restaurant unavailable')) return respond('unavailable')
      world.deliverRequest(world.hop(), caller, () => {
        this.cancelled.add(order.apiKey)
        respond(world.faultOccurs('restaurant: reply lost') ? 'reply lost' : null)
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
    const { apiKey } = order
    const known = this.#known.get(webhookId)
    if (known) return known
    const outcome = kindOf(order) === 'refused' ? 'refused' : 'accepted'
    world.note(`restaurant: ${apiKey.slice(0, 4)} ${outcome}`)
    this.receipts.push({ orderApiKey: apiKey, outcome })
    if (kindOf(order) === 'refusedLater') clients.refuseLater(apiKey)
    const receipt: Receipt =
      outcome === 'refused' ? { kind: 'refused', reason: 'too busy' } : { kind: 'accepted' }
    this.#known.set(webhookId, receipt)
    return receipt
  }
}
