import type { RestaurantLink } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { Transmission } from '#/outside/restaurant-link.ts'
import * as deliveries from '#/store/deliveries.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

const DUE_AT_ONCE = 20

type Needs = {
  db: Db
  log: Log
  defaultLink: RestaurantLink
  /** False when the restaurant has not confirmed that it knows. */
  cancel: (link: RestaurantLink, sent: Transmission) => Promise<boolean>
}

/**
 * Tells restaurants that an order is off which was given up at its deadline: they may have it, for all that is
 * known is that no answer came. True when there may be more.
 *
 * The URL may have moved, so it is the restaurant's current link that is used, but not one of another kind than the order was
 * sent by. A webhook is not told of what a console had, which shows it. An order that was sent by a webhook stays untold while
 * the link is none: nothing else has its address.
 */
export async function tellCancellations({ db, log, defaultLink, cancel }: Needs): Promise<boolean> {
  const due = await deliveries.takeCancellations(db, DUE_AT_ONCE)
  await Promise.all(
    due.map(async ({ orderApiKey, link, sentBy, attempts }) => {
      const order = await restaurantOrders.givenUp(db, orderApiKey)
      if (!order) return
      const sent = { webhookId: `order_${orderApiKey}_cancelled`, order }
      const isElsewhere = sentBy !== null && sentBy !== (link ?? defaultLink).kind
      const isTold = isElsewhere ? sentBy !== 'webhook' : await cancel(link ?? defaultLink, sent)
      if (isTold) return deliveries.cancellationTold(db, orderApiKey)
      log.warn(
        { orderApiKey, attempt: attempts },
        'a restaurant was not reached to be told of a cancellation',
      )
    }),
  )
  return due.length === DUE_AT_ONCE
}
