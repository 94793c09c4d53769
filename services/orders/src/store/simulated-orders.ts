import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

/** A simulated restaurant takes note of an order, once. False when it has it already. */
export async function receive(
  db: Db,
  orderApiKey: string,
  received: { outcome: string; firstStatusInMs: number | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into simulated_orders (order_api_key, outcome, next_status_at)
    values (${orderApiKey}, ${received.outcome}, now() + ${received.firstStatusInMs} * interval '1 millisecond')
    on conflict do nothing returning order_api_key`.execute(db)
  return rows.length > 0
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
