import type { Received } from '@platter/bus'
import type { Outcome, Refusal, RestaurantLink, StepRef } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { DELIVERY_BUSY_MS, type Conductor } from '#/conductor.ts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import * as deliveries from '#/store/deliveries.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'

type Needs = {
  db: Db
  conductor: Conductor
  log: Log
  defaultLink: RestaurantLink
  transmit: (link: RestaurantLink, sent: Transmission) => Promise<Receipt>
}

type Command = StepRef

/**
 * restaurants.transmit: the order goes out through its restaurant's link. What the restaurant answered and
 * the saga's next step are one commit.
 */
export function transmitHandler({ db, conductor, log, defaultLink, transmit }: Needs) {
  return async function handle(command: Command, received: Received): Promise<void> {
    const { orderApiKey, attempt } = command
    const delivery = await takeDelivery(db, command, received)
    if (!delivery || delivery.outcome !== null) return
    if (delivery.expired)
      return conductor.answered({ ...command, outcome: refusal(unreachable) }, 'unreachable')
    const order = await orders.find(db, orderApiKey)
    if (!order) return

    const receipt = await transmit(delivery.link ?? defaultLink, { webhookId: `order_${orderApiKey}`, order })
    switch (receipt.kind) {
      case 'accepted':
        return conductor.answered({ ...command, outcome: { kind: 'done' } }, 'accepted')
      case 'refused':
        return conductor.answered({ ...command, outcome: refusal(refused(receipt.reason)) }, 'refused')
      case 'not-reached':
      case 'unknown':
        log.warn({ orderApiKey, attempt, ...receipt }, 'the restaurant did not take the order yet')
        return deliveries.letGo(db, orderApiKey, `${receipt.kind}: ${receipt.reason}`)
    }
  }
}

/**
 * The commit that said the first command has taken the delivery for us already. A repeated command has to
 * take it, so that two do not send at once; a redelivered one may take it over, for its first reader is gone.
 */
function takeDelivery(db: Db, { orderApiKey, attempt }: Command, { redelivered }: Received) {
  if (attempt === 1 && !redelivered) return deliveries.read(db, orderApiKey)
  return deliveries.take(db, orderApiKey, { busyMs: DELIVERY_BUSY_MS, takeOver: redelivered })
}

const refusal = (because: Refusal): Outcome => ({ kind: 'refused', refusal: because })

const unreachable: Refusal = {
  code: 'restaurant-unreachable',
  detail: 'The restaurant could not be reached.',
}

const refused = (reason: string): Refusal => ({
  code: 'order-refused',
  detail: `The restaurant refused the order: ${reason}`,
})
