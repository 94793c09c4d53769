import type { PaymentMoved } from '@platter/contracts'
import type { z } from 'zod'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Deps = { orchestrator: Pick<Orchestrator, 'apply'> }

/**
 * The processor has an event about an order: its awaited command is republished now. A lost message delays it until the next poll. The
 * saga is loaded: nothing is saved, so that an old version in memory would be used, and the reply to its command would be stale.
 */
export const handlePaymentMoved =
  ({ orchestrator }: Deps) =>
  async ({ orderApiKey }: z.output<typeof PaymentMoved.data>): Promise<void> =>
    void (await orchestrator.apply(orderApiKey, { kind: 'retried' }, null))
