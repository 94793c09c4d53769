import type { RestaurantLink } from '@platter/contracts'
import { batched, matched } from '@platter/kit'
import { sql } from 'kysely'
import type { PlacedOrder } from '#/domain/order.ts'
import { isVisible, placedOrder, type OrderRow } from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'

/** A delivery as the one who makes it needs it. */
export type Delivery = {
  link: RestaurantLink | null
  /** What is to be sent; null when it came to nothing before anyone was told of it. */
  order: PlacedOrder | null
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  /** Its deadline is over. */
  overdue: boolean
  /** An attempt was begun, whatever came of it. */
  tried: boolean
  /** Nobody has taken it since it was written, and it is held for a second more at least. */
  held: boolean
}

type DeliveryRow = Omit<Delivery, 'order' | 'outcome'> & OrderRow & { delivered: Delivery['outcome'] }

/**
 * Of a delivery `d` and its order `o`. The commit that enqueues the first command counts as attempt 1, so from the third on an
 * earlier one was begun, even where its process was killed before it could note a result.
 */
const columns = sql`
  o.*, d.outcome as delivered,
  (select link from restaurant_links l where l.restaurant_api_key = o.restaurant_api_key) as link,
  d.deadline_at <= now() as overdue,
  d.last_result is not null or d.attempts > 2 as tried,
  d.attempts = 1 and d.busy_until > now() + interval '1 second' as held`

const deliveryOf = ({ link, delivered, overdue, tried, held, ...order }: DeliveryRow): Delivery => ({
  link,
  order: isVisible(order) ? placedOrder(order) : null,
  outcome: delivered,
  overdue,
  tried,
  held,
})

/** The delivery of an order, without taking it: whoever wrote it has taken it for the reader, as long as it is `held`. */
export const read = batched({
  run: async (db: Db, orderApiKeys: readonly string[]): Promise<(Delivery | null)[]> => {
    const { rows } = await sql<DeliveryRow>`
      select ${columns} from deliveries d join orders o on o.api_key = d.order_api_key
      where d.order_api_key = any(${orderApiKeys}) and o.api_key = any(${orderApiKeys})`.execute(db)
    return matched(orderApiKeys, rows, ({ api_key }) => api_key).map((row) => row && deliveryOf(row))
  },
})

/**
 * Takes the delivery for `busyMs`; null when somebody else is at it. A settled one is given back as it is.
 * `takeOver`: the one who was at it is known to be gone.
 */
export async function take(
  db: Db,
  orderApiKey: string,
  { busyMs, takeOver }: { busyMs: number; takeOver: boolean },
): Promise<Delivery | null> {
  const { rows } = await sql<DeliveryRow>`
    update deliveries d set
      attempts = attempts + case when d.outcome is null then 1 else 0 end,
      busy_until = now() + ${busyMs} * interval '1 millisecond'
    from orders o
    where d.order_api_key = ${orderApiKey} and o.api_key = d.order_api_key
      and (d.outcome is not null or d.busy_until <= now() or ${takeOver})
    returning ${columns}`.execute(db)
  const [row] = rows
  return row ? deliveryOf(row) : null
}

/** Whoever is making the delivery needs longer. */
export async function hold(db: Db, orderApiKey: string, busyMs: number): Promise<void> {
  await sql`
    update deliveries set busy_until = now() + ${busyMs} * interval '1 millisecond'
    where order_api_key = ${orderApiKey} and outcome is null`.execute(db)
}

/** An attempt by a link of this kind came to nothing, or to nothing known: somebody may try again. */
export async function letGo(
  db: Db,
  orderApiKey: string,
  { result, link }: { result: string; link: RestaurantLink['kind'] },
): Promise<void> {
  await sql`
    update deliveries set busy_until = now(), last_result = ${result}, link_kind = ${link}
    where order_api_key = ${orderApiKey} and outcome is null`.execute(db)
}

/** A restaurant that is to be told that an order is off. `sentBy`: the kind of link that the order went out by, if known. */
export type CancellationToTell = {
  orderApiKey: string
  link: RestaurantLink | null
  sentBy: RestaurantLink['kind'] | null
  attempts: number
}

/**
 * Orders that were given up and whose restaurants have not confirmed that they know, at most `limit`: counted as
 * told once more, and put off twice as long as before (30 s to 1 h, ±20 %) until their time is over.
 */
export async function takeCancellations(db: Db, limit: number): Promise<CancellationToTell[]> {
  const { rows } = await sql<CancellationToTell>`
    update deliveries d set
      cancel_attempts = cancel_attempts + 1,
      cancel_at = (select case when again <= d.cancel_until then again end from (
        select now() + least(interval '1 hour', interval '30 seconds' * power(2, least(d.cancel_attempts, 7))) * (0.8 + 0.4 * random()) as again
      ) later)
    where order_api_key in (
      select order_api_key from deliveries where cancel_at <= now()
      order by cancel_at limit ${limit} for update skip locked)
    returning order_api_key as "orderApiKey", cancel_attempts as attempts, link_kind as "sentBy",
      (select link from restaurant_links l join orders o on o.restaurant_api_key = l.restaurant_api_key where o.api_key = d.order_api_key) as link
  `.execute(db)
  return rows
}

/** The restaurant knows that the order is off. */
export async function cancellationTold(db: Db, orderApiKey: string): Promise<void> {
  await sql`update deliveries set cancel_at = null where order_api_key = ${orderApiKey}`.execute(db)
}
