import type { Cents } from '@platter/contracts'
import { ARRIVED_AFTER_SECONDS, KEY_LASTS_SECONDS } from '#/domain/authorization.ts'
import type { ReadRefund } from '#/domain/charge-after-sale.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'

/**
 * The known state of a refund of a part of the captured amount:
 *
 *     sent ─→ done
 *       └──→ failed
 *
 * A sent refund with a `processorId` is pending at the processor.
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

/** A refund, as the processor reports it; null if the processor does not have it. */
export type FoundRefund = { found: Pick<ReadRefund, 'id' | 'state'> | null }

/**
 * Returns whether to look the refund up instead of calling the processor. For a day, a repeated call returns the first response,
 * which does not show the end of a pending refund. After that the key would refund a second time.
 */
export const isToBeLookedUp = ({ processorId, ageSeconds }: RefundRow): boolean =>
  processorId !== null || ageSeconds > KEY_LASTS_SECONDS

export type RefundOutcome =
  | { kind: 'done' | 'pending'; id: string }
  | { kind: 'failed'; code: string }
  | { kind: 'unknown'; reason: string; needsOperator?: true }

/** Returns the consequence of a call or a look-up. */
export function outcomeOf(
  { processorId, ageSeconds }: Pick<RefundRow, 'processorId' | 'ageSeconds'>,
  result: ProcessorResult<FoundRefund>,
): RefundOutcome {
  if (result.kind === 'unknown') return result
  if (result.kind === 'no') return { kind: 'failed', code: result.declineCode }
  // The processor has confirmed it before, so it cannot be missing there.
  if (!result.found && processorId !== null)
    return { kind: 'unknown', reason: 'the processor does not list the refund', needsOperator: true }
  if (!result.found && ageSeconds <= ARRIVED_AFTER_SECONDS)
    return { kind: 'unknown', reason: 'the processor does not list the refund yet' }
  if (!result.found) return { kind: 'failed', code: 'never_arrived' }
  const { id, state } = result.found
  return state === 'failed' ? { kind: 'failed', code: 'refund_failed' } : { kind: state, id }
}
