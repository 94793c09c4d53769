import type { PlacedOrder } from '#/domain/order.ts'

/** The order on its way to its restaurant. `webhookId` is the same however often it is sent. */
export type Transmission = { webhookId: string; order: PlacedOrder }

/**
 * What became of it: `not-reached` means that the restaurant surely does not have it, `unknown` that nobody
 * can say; both are tried again with the same webhookId.
 */
export type Receipt =
  | { kind: 'accepted' }
  | { kind: 'refused'; reason: string }
  | { kind: 'not-reached'; reason: string }
  | { kind: 'unknown'; reason: string }

/** A restaurant has so long to answer (docs/interface.md, "Restaurant interface"). */
export const ANSWER_WITHIN_MS = 10_000
