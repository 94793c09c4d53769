import type { RestaurantLink } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { Transmission } from '#/delivery/outside/restaurant-link.ts'
import type { Stores } from '#/store/stores.ts'

const DUE_AT_ONCE = 20

type Deps = Pick<Stores, 'deliveries'> & {
  log: Log
  defaultLink: RestaurantLink
  /** Returns false without the restaurant's confirmation. */
  cancel: (link: RestaurantLink, sent: Transmission) => Promise<boolean>
}

/**
 * Notifies restaurants of cancelled orders that they have or may have: an order that a customer or an operator cancelled, and one
 * that failed at the delivery deadline, because a restaurant that did not respond may have received it. Returns true if more may be
 * due.
 *
 * The notice goes to the restaurant's current link, because its URL may have changed. A console needs no notice, because it reads
 * the row. The notice of an order that was sent to a webhook waits while the current link is a console, which has no address.
 */
export async function notifyCancellations(deps: Deps): Promise<boolean> {
  const { deliveries, log, defaultLink, cancel } = deps
  const due = await deliveries.takeDueNotices(DUE_AT_ONCE)
  await Promise.all(
    due.map(async ({ order, link, sentBy, attempts }) => {
      const orderApiKey = order.apiKey
      const sent = { webhookId: `order_${orderApiKey}_cancelled`, order }
      const hasOtherKind = sentBy !== null && sentBy !== (link ?? defaultLink).kind
      const isConfirmed = hasOtherKind ? sentBy !== 'webhook' : await cancel(link ?? defaultLink, sent)
      if (isConfirmed) return deliveries.endNotices(orderApiKey)
      log.warn(
        { orderApiKey, attempt: attempts },
        'a restaurant has not confirmed a cancellation yet; the notice is retried',
      )
    }),
  )
  return due.length === DUE_AT_ONCE
}
