import type { Received } from '@platter/bus'
import {
  sanitizeText,
  type Outcome,
  type Refusal,
  type RestaurantLink,
  type StepRef,
} from '@platter/contracts'
import { isAway, type Log } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import { RestaurantPermits } from '#/restaurant-permits.ts'
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
type Found = { command: Command; found: deliveries.Delivery; received: Received }

/** Of a replica. A transmission waits for its restaurant and does no work: 64 silent restaurants use up as many. */
export const TRANSMISSIONS_AT_ONCE = 1_024

/** A transmission is held while it is made: longer than the 10 s that a restaurant may take. */
const DELIVERY_BUSY_MS = 12_000
/** Most restaurants have answered by then, and the first hold (2 s, see conductor) has not lapsed: no commit for it. */
const HOLD_ON_AFTER_MS = 500
/** UTF-16 code units of an error that are kept. */
const MAX_RESULT = 500

/**
 * restaurants.transmit: the order goes out through its restaurant's link. What the restaurant answered and
 * the saga's next step are one commit.
 *
 * An order that finds no permit of its restaurant is acknowledged and left to its saga's row, which republishes the command:
 * so it uses up none of this replica's transmissions. The deadline ends a delivery of which an attempt was begun, whatever
 * came of that (an error, a killed process), and one that never got a permit.
 */
export function transmitHandler(needs: Needs) {
  const { db, conductor } = needs
  const permits = new RestaurantPermits()
  return async function handle(command: Command, received: Received): Promise<void> {
    const { orderApiKey } = command
    const found = await deliveries.read(db, orderApiKey)
    if (!found?.order || found.outcome !== null) return
    using permit = await permits.acquire(found.order.restaurantApiKey)
    if (!permit && !found.overdue) return conductor.announce(orderApiKey)
    const delivery = await takeDelivery(db, { command, found, received })
    if (!delivery || delivery.outcome !== null) return
    if (delivery.overdue && (delivery.tried || !permit))
      await conductor.answered({ ...command, outcome: refusal(unreachable) }, gaveUp)
    else await attemptDelivery(needs, command, delivery)
  }
}

async function attemptDelivery(needs: Needs, command: Command, delivery: deliveries.Delivery): Promise<void> {
  const { order } = delivery
  if (!order) return
  const link = delivery.link ?? needs.defaultLink
  const { orderApiKey } = command
  try {
    const receipt = await whileHeld({ ...needs, orderApiKey }, () =>
      needs.transmit(link, { webhookId: `order_${orderApiKey}`, order }),
    )
    await note(needs, { command, receipt, link: link.kind })
  } catch (error) {
    // An unavailable database can note nothing; the lease expires.
    if (!isAway(error))
      await deliveries.letGo(needs.db, orderApiKey, { result: `failed: ${wordsOf(error)}`, link: link.kind })
    throw error
  }
}

type Attempt = { command: Command; receipt: Receipt; link: RestaurantLink['kind'] }

async function note({ db, conductor, log }: Needs, { command, receipt, link }: Attempt): Promise<void> {
  const { orderApiKey, attempt } = command
  switch (receipt.kind) {
    case 'accepted':
      return conductor.answered({ ...command, outcome: { kind: 'done' } }, { outcome: 'accepted', link })
    case 'refused':
      return conductor.answered(
        { ...command, outcome: refusal(refused(receipt.reason)) },
        { outcome: 'refused', link },
      )
    case 'not-reached':
    case 'unknown':
      log.warn({ orderApiKey, attempt, ...receipt }, 'the restaurant did not take the order yet')
      return deliveries.letGo(db, orderApiKey, { result: `${receipt.kind}: ${receipt.reason}`, link })
  }
}

const gaveUp = { outcome: 'unreachable', link: null } as const

const wordsOf = (error: unknown): string =>
  sanitizeText(error instanceof Error ? error.message : String(error), MAX_RESULT)

/**
 * The commit that said the first command has taken the delivery for us already, unless that was long ago. A
 * repeated command has to take it, so that two do not send at once; a redelivered one may take it over, for its
 * first reader is gone.
 */
async function takeDelivery(db: Db, { command, found, received: { redelivered } }: Found) {
  const { orderApiKey, attempt } = command
  if (attempt === 1 && !redelivered && found.held) return found
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
