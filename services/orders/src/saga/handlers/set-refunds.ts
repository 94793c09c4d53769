import type { Bus, Received } from '@platter/bus'
import { PaymentsRefundsSet, type OrdersSetRefunds } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { apiKeyOf } from '#/api-key-of.ts'
import { refundOfProcessor } from '#/domain/refund.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'orders'> & {
  orchestrator: Pick<Orchestrator, 'apply'>
  bus: Pick<Bus, 'publish'>
  log: Log
}

/**
 * Sets what happened to the charge of an order at the processor, and confirms it. Before the capture is known here there is no
 * confirmation, and payments sends the picture again.
 */
export const setRefunds =
  ({ orders, orchestrator, bus, log }: Deps) =>
  async (picture: OrdersSetRefunds, { requestId }: Pick<Received, 'requestId'>): Promise<void> => {
    const { orderApiKey, version, failed, dispute } = picture
    const refunds = picture.refunds.map((one) => refundOfProcessor(one, apiKeyOf('processor', one.id)))
    const applied = await orchestrator.apply(orderApiKey, {
      kind: 'mirrored',
      version,
      refunds,
      failed,
      dispute,
    })
    if (!applied) {
      if (await orders.exists(orderApiKey)) return
      log.warn({ orderApiKey }, 'refunds and disputes of an order that does not exist')
    }
    await bus.publish(PaymentsRefundsSet, { orderApiKey, version }, { requestId })
  }
