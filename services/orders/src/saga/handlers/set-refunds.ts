import type { Bus, Context } from '@platter/bus'
import { PaymentsRefundsSet, type OrdersSetRefunds } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { apiKeyOf } from '#/api-key-of.ts'
import { refundOfProcessor } from '#/domain/refund.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'sagas'> & {
  orchestrator: Pick<Orchestrator, 'apply'>
  bus: Pick<Bus, 'publish'>
  log: Log
}

/**
 * Sets the processor's state of an order's charge, and confirms it. Before the capture is known here it sends no confirmation, and
 * payments publishes the state again.
 */
export const setRefunds =
  ({ sagas, orchestrator, bus, log }: Deps) =>
  async (mirror: OrdersSetRefunds, { requestId }: Context): Promise<void> => {
    const { orderApiKey, version, failed, dispute } = mirror
    const refunds = mirror.refunds.map((one) => refundOfProcessor(one, apiKeyOf('processor', one.id)))
    const applied = await orchestrator.apply(orderApiKey, {
      kind: 'mirrored',
      version,
      refunds,
      failed,
      dispute,
    })
    if (!applied) {
      if (await sagas.load(orderApiKey)) return
      log.warn({ orderApiKey }, 'refunds or a dispute of an order that does not exist were ignored')
    }
    await bus.publish(PaymentsRefundsSet, { orderApiKey, version }, { requestId })
  }
