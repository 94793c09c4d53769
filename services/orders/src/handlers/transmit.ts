import type { Received } from '@platter/bus'
import type { Outcome, Refusal, RestaurantLink, StepRef } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import * as deliveries from '#/store/deliveries.ts'
import type { Db } from '#/store/tables.ts'

type Needs = {
  db: Db
  conductor: Conductor
  log: Log
  defaultLink: RestaurantLink
  transmit: (link: RestaurantLink, sent: Transmission) => Promise<Receipt>
}

type Command = StepRef

/** A transmission is held while it is made: longer than the 10 s that a restaurant may take. */
const DELIVERY_BUSY_MS = 12_000
/** Most restaurants have answered by then, and the first hold (2 s, see conductor) has not lapsed: no commit for it. */
const HOLD_ON_AFTER_MS = 500

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
    const { order, link } = delivery
    if (!order) return

    const receipt = await whileHeld({ db, conductor, log, orderApiKey }, () =>
      transmit(link ?? defaultLink, { webhookId: `order_${orderApiKey}`, order }),
    )
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
 * The commit that said the first command has taken the delivery for us already, unless that was long ago. A
 * repeated command has to take it, so that two do not send at once; a redelivered one may take it over, for its
 * first reader is gone.
 */
async function takeDelivery(db: Db, { orderApiKey, attempt }: Command, { redelivered }: Received) {
  if (attempt === 1 && !redelivered) {
    const delivery = await deliveries.read(db, orderApiKey)
    if (!delivery || delivery.held || delivery.outcome !== null) return delivery
  }
  return deliveries.take(db, orderApiKey, { busyMs: DELIVERY_BUSY_MS, takeOver: redelivered })
}

/**
 * A transmission that takes its time is held on to, so that nobody makes it a second time meanwhile, and whoever waits
 * for the order hears that it is the restaurant that is slow.
 */
async function whileHeld<T>(
  { db, conductor, log, orderApiKey }: Pick<Needs, 'db' | 'conductor' | 'log'> & { orderApiKey: string },
  work: () => Promise<T>,
): Promise<T> {
  let holding: Promise<void> | undefined
  const timer = setTimeout(() => {
    conductor.announce(orderApiKey)
    holding = deliveries.hold(db, orderApiKey, DELIVERY_BUSY_MS).catch((error: unknown) => {
      // At worst it is sent twice under the same webhook-id.
      log.warn({ orderApiKey, err: error }, 'a delivery could not be held on to')
    })
  }, HOLD_ON_AFTER_MS)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    await holding
  }
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
