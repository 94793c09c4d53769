import type { RestaurantLink } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { Transmission } from '#/delivery/outside/restaurant-link.ts'
import type { Stores } from '#/store/stores.ts'

const DUE_AT_ONCE = 20

type Deps = Pick<Stores, 'deliveries' | 'restaurantOrders'> & {
  log: Log
  defaultLink: RestaurantLink
  /** False when the restaurant has not confirmed that it knows. */
  cancel: (link: RestaurantLink, sent: Transmission) => Promise<boolean>
}

/**
 * Notifies restaurants of the cancellation of orders that were given up at their deadline: without an answer, such a
 * restaurant may have the order all the same. True when there may be more.
 *
 * Its URL may have changed, so the restaurant's current link is used, but not one of another kind than the order was sent
 * by. A console needs no notice: it shows the row. An order that was sent by a webhook waits while
 * the link is of another kind, because nothing else has its address.
 */
export async function notifyCancellations(deps: Deps): Promise<boolean> {
  const { deliveries, restaurantOrders, log, defaultLink, cancel } = deps
  const due = await deliveries.takeDueNotices(DUE_AT_ONCE)
  await Promise.all(
    due.map(async ({ orderApiKey, link, sentBy, attempts }) => {
      const order = await restaurantOrders.givenUp(orderApiKey)
      if (!order) return
      const sent = { webhookId: `order_${orderApiKey}_cancelled`, order }
      const isElsewhere = sentBy !== null && sentBy !== (link ?? defaultLink).kind
      const isKnown = isElsewhere ? sentBy !== 'webhook' : await cancel(link ?? defaultLink, sent)
      if (isKnown) return deliveries.endNotices(orderApiKey)
      log.warn({ orderApiKey, attempt: attempts }, 'a restaurant did not confirm a cancellation yet')
    }),
  )
  return due.length === DUE_AT_ONCE
}
