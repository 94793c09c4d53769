import type { RestaurantLink } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { WebhookLink } from '#/domain/order-state.ts'
import type { Transmission } from '#/delivery/outside/restaurant-link.ts'
import type { Stores } from '#/store/stores.ts'

const DUE_AT_ONCE = 20

/** Returns why the restaurant has not confirmed the cancellation; null if it has. */
export type Cancel = (link: WebhookLink, sent: Transmission) => Promise<string | null>

type Deps = Pick<Stores, 'deliveries'> & { log: Log; defaultLink: RestaurantLink; cancel: Cancel }

/**
 * Notifies restaurants of cancelled orders that they have or may have: an order that a customer or an operator cancelled, and one
 * that failed at the delivery deadline, because a restaurant that did not respond may have received it. Returns true if more may be
 * due. An order whose every attempt ended before it was sent needs no notice: an operator would call a restaurant that never had it.
 *
 * The notice goes to the restaurant's current link, because its URL may have changed. A console needs no notice, because it reads
 * the row. The notice of an order that was sent to a webhook waits while the current link is a console, which has no address.
 */
export async function notifyCancellations(deps: Deps): Promise<boolean> {
  const { deliveries, log, defaultLink, cancel } = deps
  const due = await deliveries.takeDueNotices(DUE_AT_ONCE)
  await Promise.all(
    due.map(async ({ order, link, isSent, sentBy, attempts }) => {
      const orderApiKey = order.apiKey
      if (!isSent) return deliveries.endNotices(orderApiKey)
      const sent = { webhookId: `order_${orderApiKey}_cancelled`, order }
      const to = link ?? defaultLink
      const onConsole = sentBy === 'webhook' ? 'the link is a console' : null
      const reason = to.kind === 'console' || sentBy === 'console' ? onConsole : await cancel(to, sent)
      if (reason === null) return deliveries.endNotices(orderApiKey)
      log.warn(
        { orderApiKey, attempt: attempts, reason },
        'a restaurant has not confirmed a cancellation yet; the notice is retried',
      )
    }),
  )
  return due.length === DUE_AT_ONCE
}
