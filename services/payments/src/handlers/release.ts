import type { Outcome, PaymentsRelease } from '@platter/contracts'
import type { z } from 'zod'
import type { ExecuteCommand } from '#/command-executor.ts'
import { refundedOf } from '#/domain/authorization.ts'
import type { ExecuteRefund } from '#/refund-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'
import type { RefundStore } from '#/store/refunds.ts'

type Deps = {
  authorizations: Pick<AuthorizationStore, 'requestRelease' | 'find'>
  refunds: Pick<RefundStore, 'sent' | 'markWhollyRefunded'>
  execute: ExecuteCommand
  executeRefund: ExecuteRefund
}

/**
 * The request is committed before any call. From then on, an authorization that arrives late is voided, and no partial refund
 * begins. Partial refunds in progress end first, because the release refunds the remaining amount.
 */
export const release =
  ({ authorizations, refunds, execute, executeRefund }: Deps) =>
  async ({ orderApiKey }: z.output<typeof PaymentsRelease.data>): Promise<Outcome | null> => {
    const row = await authorizations.requestRelease(orderApiKey)
    if (!('processorId' in row) || refundedOf(row) === 0) return execute({ kind: 'release' }, row)
    for (const sent of await refunds.sent(orderApiKey))
      if ((await executeRefund(sent, row)) === 'sent') return null
    await refunds.markWhollyRefunded(orderApiKey)
    return execute({ kind: 'release' }, (await authorizations.find(orderApiKey)) ?? row)
  }
