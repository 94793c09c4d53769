import type { Cents } from '@platter/contracts'
import { KEY_LASTS_SECONDS } from '#/domain/authorization.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'

/**
 * A refund of a part of the captured amount, as far as this service knows it:
 *
 *     sent ─→ done
 *       └──→ failed
 *
 * With a `processorId` a sent one is pending at the processor.
 */
export type RefundRow = {
  apiKey: string
  orderApiKey: string
  amount: Cents
  state: 'sent' | 'done' | 'failed'
  processorId: string | null
  failureCode: string | null
  /** Since the row was created, by the clock of the database. */
  ageSeconds: number
}

/** A refund at the processor. */
export type ProcessorRefund = { refundId: string; state: 'done' | 'pending' | 'failed' }

/**
 * Whether to call the processor or to look the refund up. A repeated call gets the first response for a day, so it cannot tell that
 * a pending refund has ended; after that the key would refund a second time.
 */
export const isToBeLookedUp = ({ processorId, ageSeconds }: RefundRow): boolean =>
  processorId !== null || ageSeconds > KEY_LASTS_SECONDS

export type RefundOutcome =
  | { kind: 'done' | 'pending'; refundId: string }
  | { kind: 'failed'; code: string }
  | { kind: 'unknown'; reason: string; alarm?: true }

/** The consequence of a call, or of a look-up (`found: null`: the processor does not have it). */
export function outcomeOf(
  { processorId }: Pick<RefundRow, 'processorId'>,
  result: ProcessorResult<{ found: ProcessorRefund | null }>,
): RefundOutcome {
  if (result.kind === 'unknown') return result
  if (result.kind === 'no') return { kind: 'failed', code: result.declineCode }
  // The processor has confirmed it once, so it cannot be lost there.
  if (!result.found && processorId !== null)
    return { kind: 'unknown', reason: 'the processor does not list the refund', alarm: true }
  // It was sent at least 20 h ago: it has arrived by now or never will.
  if (!result.found) return { kind: 'failed', code: 'never_arrived' }
  const { refundId, state } = result.found
  return state === 'failed' ? { kind: 'failed', code: 'refund_failed' } : { kind: state, refundId }
}
