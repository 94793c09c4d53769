import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

/** A simulated restaurant takes an order, however often it comes. */
export async function receive(
  db: Db,
  orderApiKey: string,
  received: { outcome: string; firstStatusInMs: number | null },
): Promise<void> {
  await sql`
    insert into simulated_orders (order_api_key, outcome, next_status_at, noted)
    values (${orderApiKey}, ${received.outcome}, now() + ${received.firstStatusInMs} * interval '1 millisecond', false)
    on conflict (order_api_key) do update set tries = simulated_orders.tries + 1`.execute(db)
}

/**
 * Calls `write` for an order whose receipt is not noted yet, one caller at a time. `mayBeWritten`: somebody has tried
 * before, and may have died between writing and noting.
 */
export async function note(
  db: Db,
  orderApiKey: string,
  write: (mayBeWritten: boolean) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ tries: number }>`
      select tries from simulated_orders where order_api_key = ${orderApiKey} and not noted for update`.execute(
      trx,
    )
    const [order] = rows
    if (!order) return
    await write(order.tries > 1)
    await sql`update simulated_orders set noted = true where order_api_key = ${orderApiKey}`.execute(trx)
  })
}

/** Orders whose next status is due, put off by `stepMs`; no other replica gets the same ones. */
export async function takeDue(
  db: Db,
  { stepMs, limit }: { stepMs: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ order_api_key: string }>`
    update simulated_orders set next_status_at = now() + ${stepMs} * interval '1 millisecond'
    where order_api_key in (
      select order_api_key from simulated_orders where next_status_at <= now()
      order by next_status_at limit ${limit} for update skip locked)
    returning order_api_key`.execute(db)
  return rows.map((row) => row.order_api_key)
}

/** There is nothing more to report. */
export async function finish(db: Db, orderApiKey: string): Promise<void> {
  await sql`update simulated_orders set next_status_at = null where order_api_key = ${orderApiKey}`.execute(
    db,
  )
}
