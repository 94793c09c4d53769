import type { Outcome, PaymentsRefund } from '@platter/contracts'
import type { z } from 'zod'
import { IncidentError } from '#/command-executor.ts'
import type { ExecuteRefund } from '#/refund-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import type { RefundStore } from '#/store/refunds.ts'

type Deps = {
  authorizations: Pick<AuthorizationStore, 'find'>
  refunds: RefundStore
  executeRefund: ExecuteRefund
}

/** The row is committed before the call. After a crash, the next attempt finds that the call may have been made. */
export const refund =
  ({ authorizations, refunds, executeRefund }: Deps) =>
  async ({
    orderApiKey,
    refund: apiKey,
    amount,
  }: z.output<typeof PaymentsRefund.data>): Promise<Outcome | null> => {
    const authorization = await authorizations.find(orderApiKey)
    if (!authorization || !('processorId' in authorization))
      throw new IncidentError(`refund of order ${orderApiKey}: nothing was captured`)
    const row = (await refunds.find(apiKey)) ?? (await refunds.reserve({ apiKey, orderApiKey, amount }))
    const state = await executeRefund(row, authorization)
    if (state === 'sent') return null
    // Also for a repeated command, because a crash may have prevented it before.
    await refunds.markWhollyRefunded(orderApiKey)
    return state === 'done' ? { kind: 'done' } : failed
  }

const failed: Outcome = {
  kind: 'refused',
  refusal: { code: 'refund-too-large', detail: 'The payment processor did not refund the amount.' },
}
