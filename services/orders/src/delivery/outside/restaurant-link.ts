import type { RestaurantLink } from '@platter/contracts'
import type { PlacedOrder } from '#/domain/order.ts'

/** An order for its restaurant. `webhookId` is equal in all attempts. */
export type Transmission = { webhookId: string; order: PlacedOrder }

/**
 * The result of an attempt. After `not-reached` the restaurant does not have the order; after `unknown` it may have it. Both are
 * retried with the same webhookId.
 */
export type Receipt =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: string }
  | { kind: 'not-reached'; reason: string }
  | { kind: 'unknown'; reason: string }

export type Transmit = (link: RestaurantLink, sent: Transmission) => Promise<Receipt>

/** The time limit for a restaurant's response (docs/interface.md, "Restaurant interface"). */
export const RESPOND_WITHIN_MS = 10_000
