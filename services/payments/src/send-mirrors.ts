import type { Bus } from '@platter/bus'
import { OrdersSetRefunds } from '@platter/contracts'
import { newRequestId, type Log } from '@platter/kit'
import {
  DISPUTE_STATES,
  disputeOf,
  failedOwn,
  ofProcessor,
  REFUND_STATES,
} from '#/domain/charge-after-sale.ts'
import type { ChargeMirrorStore, MirrorRow } from '#/store/charge-mirrors.ts'

const AT_ONCE = 50

/** Returns the command that sets the mirror's state in orders. */
export function setRefundsOf({ orderApiKey, version, refunds, disputes }: MirrorRow): OrdersSetRefunds {
  const dispute = disputeOf(disputes)
  return {
    orderApiKey,
    version,
    refunds: ofProcessor(refunds).map(({ id, amount, state, at }) => ({
      id,
      amount,
      state: REFUND_STATES[state],
      date: at,
    })),
    failed: failedOwn(refunds),
    dispute: dispute && {
      state: DISPUTE_STATES[dispute.state],
      amount: dispute.amount,
      reason: dispute.reason,
      respondBy: dispute.respondBy,
      lost: dispute.lost,
      isRefundable: dispute.isRefundable,
    },
  }
}

/**
 * Returns the function that publishes a mirror. An unavailable broker is not an error, because the row is published again later.
 */
export const mirrorSender =
  ({ bus, log }: { bus: Pick<Bus, 'publish'>; log: Log }) =>
  async (row: MirrorRow): Promise<void> => {
    try {
      await bus.publish(OrdersSetRefunds, setRefundsOf(row), { requestId: newRequestId() })
    } catch (error) {
      log.warn({ orderApiKey: row.orderApiKey, err: error }, 'refunds and disputes were not sent to orders')
    }
  }

/**
 * Publishes the mirrors that orders has not confirmed: one page per call, because an unconfirmed mirror must not be published again
 * immediately.
 */
export async function sendMirrors(
  mirrors: Pick<ChargeMirrorStore, 'unconfirmed'>,
  send: (row: MirrorRow) => Promise<void>,
): Promise<void> {
  const rows = await mirrors.unconfirmed(AT_ONCE)
  await Promise.all(rows.map(send))
}
