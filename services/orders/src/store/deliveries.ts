import type { RestaurantLink } from '@platter/contracts'
import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

/** A delivery as the one who makes it needs it. */
export type Delivery = {
  link: RestaurantLink | null
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  /** Its time is over, and it was tried. */
  expired: boolean
}

const columns = sql`
  (select link from restaurant_links l join orders o on o.restaurant_api_key = l.restaurant_api_key where o.api_key = d.order_api_key) as link,
  d.outcome,
  d.deadline_at <= now() and d.last_result is not null as expired`

/** The delivery of an order, without taking it: it was taken for the reader when it was written. */
export async function read(db: Db, orderApiKey: string): Promise<Delivery | null> {
  const { rows } =
    await sql<Delivery>`select ${columns} from deliveries d where order_api_key = ${orderApiKey}`.execute(db)
  return rows[0] ?? null
}

/**
 * Takes the delivery for `busyMs`; null when somebody else is at it. A settled one is given back as it is.
 * `takeOver`: the one who was at it is known to be gone.
 */
export async function take(
  db: Db,
  orderApiKey: string,
  { busyMs, takeOver }: { busyMs: number; takeOver: boolean },
): Promise<Delivery | null> {
  const { rows } = await sql<Delivery>`
    update deliveries d set
      attempts = attempts + case when outcome is null then 1 else 0 end,
      busy_until = now() + ${busyMs} * interval '1 millisecond'
    where order_api_key = ${orderApiKey} and (outcome is not null or busy_until <= now() or ${takeOver})
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

/** An attempt came to nothing, or to nothing known: somebody may try again. */
export async function letGo(db: Db, orderApiKey: string, result: string): Promise<void> {
  await sql`update deliveries set busy_until = now(), last_result = ${result} where order_api_key = ${orderApiKey}`.execute(
    db,
  )
}
