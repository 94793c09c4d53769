import type { Log } from '@platter/kit'
import type { Authorization } from '#/domain/authorization.ts'
import { isToBeLookedUp, outcomeOf, type RefundRow } from '#/domain/refund.ts'
import { findRefund, type Processor } from '#/outside/processor.ts'
import type { RefundStore } from '#/store/refunds.ts'

export type ExecuteRefund = ReturnType<typeof refundExecutor>

type Deps = { refunds: RefundStore; processor: Pick<Processor, 'refundPart' | 'charge'>; log: Log }

/**
 * Returns the function that moves a refund to its end. It returns the state of the row afterwards: still `sent` while the outcome
 * is unknown or the refund is pending at the processor. Any number of replicas may execute the same refund concurrently. The
 * idempotency key makes the call effective once, and each replica writes only a fact from the processor onto a row that is still
 * `sent`.
 */
export function refundExecutor({ refunds, processor, log }: Deps) {
  /** Another replica may have ended the refund first. */
  const stateOf = async (apiKey: string) => (await refunds.find(apiKey))?.state ?? 'sent'

  return async function execute(row: RefundRow, { processorId: id }: Charged): Promise<RefundRow['state']> {
    const { apiKey, orderApiKey, amount, state } = row
    if (state !== 'sent') return state
    const part = { idempotencyKey: apiKey, id, amount }
    const result = await (isToBeLookedUp(row) ? findRefund(processor, part) : processor.refundPart(part))
    const outcome = outcomeOf(row, result)
    switch (outcome.kind) {
      case 'unknown': {
        const { reason, needsOperator } = outcome
        log[needsOperator ? 'error' : 'warn'](
          { orderApiKey, call: 'refund', reason },
          'the outcome of a refund is unknown; the saga repeats the command',
        )
        return 'sent'
      }
      case 'pending':
      case 'done':
        await refunds.mark(apiKey, outcome.kind, outcome.id)
        return stateOf(apiKey)
      case 'failed':
        log.error(
          { orderApiKey, call: 'refund', code: outcome.code },
          'a refund failed; the customer got nothing back',
        )
        await refunds.markFailed(apiKey, outcome.code)
        return stateOf(apiKey)
    }
  }
}

/** An authorization that exists at the processor. */
type Charged = Extract<Authorization, { processorId: string }>
