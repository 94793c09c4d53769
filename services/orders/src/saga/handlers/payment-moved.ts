import type { PaymentMoved } from '@platter/contracts'
import type { z } from 'zod'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Deps = { orchestrator: Pick<Orchestrator, 'apply'> }

/**
 * Handles a processor event about an order: republishes the awaited command now. A lost message delays the order until the next
 * poll. The saga is loaded, not taken from memory: nothing is saved, so an old cached version would be published, and its reply
 * would be stale.
 */
export const handlePaymentMoved =
  ({ orchestrator }: Deps) =>
  async ({ orderApiKey }: z.output<typeof PaymentMoved.data>): Promise<void> =>
    void (await orchestrator.apply(orderApiKey, { kind: 'retried' }, null))
