import type { PaymentMoved } from '@platter/contracts'
import type { z } from 'zod'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Deps = { orchestrator: Pick<Orchestrator, 'apply'> }

/**
 * Handles a processor event about an order: republishes the awaited command now. A lost message delays the order until the next
 * poll. The saga is read from the database. A cached saga may be outdated: its command would have an earlier version, and the reply
 * to it would be stale.
 */
export const handlePaymentMoved =
  ({ orchestrator }: Deps) =>
  async ({ orderApiKey }: z.output<typeof PaymentMoved.data>): Promise<void> =>
    void (await orchestrator.apply(orderApiKey, { kind: 'retried' }, null))
