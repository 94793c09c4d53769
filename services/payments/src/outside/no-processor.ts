import { declineOf } from '#/domain/declines.ts'
import type { Processor } from '#/outside/processor.ts'

const REFUSED = { kind: 'no', code: 'no_processor', declineCode: 'no_processor' } as const
/** The decline of a saved card, which belongs to an earlier processor. */
export const NO_PROCESSOR = declineOf(REFUSED)
/** A payment from before this setting may have any state at its processor. */
const UNKNOWN = { kind: 'unknown', reason: 'PROCESSOR=none' } as const

const unknown = async () => UNKNOWN

/**
 * PROCESSOR=none: a platform for cash only. Every new card is refused before its order is stored, and an order by a saved card at its
 * authorization (payment-not-possible).
 */
export function noProcessor(): Processor {
  return {
    tokenize: async () => REFUSED,
    authorize: unknown,
    capture: unknown,
    void: unknown,
    refund: unknown,
    refundPart: unknown,
    find: unknown,
    check: unknown,
    card: unknown,
    detach: unknown,
    list: async () => ({ kind: 'yes', charges: [], after: null }),
    charge: unknown,
    balanceTransactions: async () => ({ kind: 'yes', balanceTransactions: [], after: null }),
    close: async () => undefined,
  }
}
