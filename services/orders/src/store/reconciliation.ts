import { epochOf, microsecondsOf, momentOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { OrderDispute } from '#/domain/refund.ts'
import type { OrderEntry, OtherBooks } from '#/domain/reconciliation.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** The end of a batch: `at` in microseconds; the id orders rows with an equal time. */
export type Position = { at: number; id: number }

export type StoredOrder = OrderEntry &
  Position & {
    delivery: OtherBooks['delivery']
    version: number
    /** Whether its saga has not ended. */
    running: boolean
    dispute: OrderDispute | null
  }

/** Reads orders, deliveries and sagas for reconciliation. */
export class PostgresReconciliation extends PostgresStore {
  /** Returns orders and their deliveries, oldest first, from after the position to before `until` (epoch seconds). */
  async readOrders({
    after,
    until,
    limit,
  }: {
    after: Position
    until: number
    limit: number
  }): Promise<StoredOrder[]> {
    const { rows } = await sql<StoredOrder>`
    select o.api_key as "apiKey", o.payment, o.test, o.total, o.refunded, o.outcome, o.dispute, o.cancellation is not null as cancelled,
      o.payment_state as "paymentState", d.outcome as delivery,
      ${microsecondsOf('o.placed_at')} as at, o.id, s.version, s.finished_at is null as running
    from orders o join sagas s on s.order_api_key = o.api_key
      left join deliveries d on d.order_api_key = o.api_key
    where (o.placed_at, o.id) > (${momentOf(after.at)}, ${after.id}) and o.placed_at < to_timestamp(${until})
    order by o.placed_at, o.id limit ${limit}`.execute(this.db)
    return rows
  }

  /** Returns the current versions of the sagas of these orders, without orders that do not exist. */
  async versionsOf(apiKeys: readonly string[]): Promise<Map<string, { version: number; running: boolean }>> {
    const { rows } = await sql<{ apiKey: string; version: number; running: boolean }>`
    select order_api_key as "apiKey", version, finished_at is null as running
    from sagas where order_api_key = any(${apiKeys})`.execute(this.db)
    return new Map(rows.map(({ apiKey, ...row }) => [apiKey, row]))
  }

  /** Returns the end of the current second of the database's clock, in epoch seconds. */
  async now(): Promise<number> {
    const { rows } = await sql<{
      now: number
    }>`select ${epochOf(sql`now()`)} + 1 as now`.execute(this.db)
    return rows[0]?.now ?? 0
  }
}
