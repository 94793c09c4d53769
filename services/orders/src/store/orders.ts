import type { OrderStatus } from '@platter/contracts'
import { batched, matched, type Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql, type RawBuilder } from 'kysely'
import { isVisible } from '#/domain/order-state.ts'
import { isBefore, NEWEST_FIRST, readPage, type OrderPage } from '#/store/order-pages.ts'
import { ORDER, type OrderRow } from '#/store/order-row.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

const findTogether = batched({
  run: async (db: Db, apiKeys: readonly string[]): Promise<(OrderRow | null)[]> => {
    const { rows } = await sql<OrderRow>`select ${ORDER} from orders where api_key = any(${apiKeys})`.execute(
      db,
    )
    return matched(apiKeys, rows.filter(isVisible), ({ apiKey }) => apiKey)
  },
})

export const isTransmitted = sql`orders.outcome = 'transmitted'`

/** `isVisible` in SQL, for conditions that apply before a limit. */
export const isVisibleRow = sql`(orders.outcome <> 'failed' or orders.told or orders.shown)`

/** Orders and their status histories. */
export class PostgresOrders extends PostgresStore {
  /** Returns the order, if clients may see it. */
  find(apiKey: string): Promise<OrderRow | null> {
    return findTogether(this.db, apiKey)
  }

  /** Returns the recipient of the order, visible or hidden; null for a guest and for an order that does not exist. */
  async recipientOf(apiKey: string): Promise<string | null> {
    const { rows } = await sql<{ recipient: string | null }>`
    select recipient_api_key as recipient from orders where api_key = ${apiKey}`.execute(this.db)
    return rows[0]?.recipient ?? null
  }

  /** Newest first. `before`: the id of the previous page's last order. */
  ofRecipient(
    recipientApiKey: string,
    { before, limit }: { before: number | null; limit: number },
  ): Promise<OrderPage<OrderRow>> {
    const from = sql`orders where recipient_api_key = ${recipientApiKey} and ${isVisibleRow} and ${isBefore(before)}`
    return readPage(this.db, { columns: ORDER, from, direction: NEWEST_FIRST, limit })
  }

  /** Oldest first; `date` in epoch seconds. */
  async statuses(orderApiKey: string): Promise<{ status: OrderStatus; date: number }[]> {
    const { rows } = await sql<{ status: OrderStatus; date: number }>`
    select status, ${epochOf('at')} as date from order_statuses
    where order_api_key = ${orderApiKey} order by position`.execute(this.db)
    return rows
  }

  /** Marks a pending order as returned to its client by send-order. Returns false if it is no longer pending. */
  markReturnedIfPending(apiKey: string): Promise<boolean> {
    return this.#markIfPending(apiKey, sql`told`)
  }

  /** Marks a pending order as read by a client. Returns false if it is no longer pending. */
  markReadIfPending(apiKey: string): Promise<boolean> {
    return this.#markIfPending(apiKey, sql`shown`)
  }

  /** One order per statement: two statements that lock several orders, this one and `PostgresSagas.save`, could deadlock. */
  async #markIfPending(apiKey: string, column: RawBuilder<unknown>): Promise<boolean> {
    const { numAffectedRows } = await sql`
    update orders set ${column} = true where api_key = ${apiKey} and outcome = 'pending'`.execute(this.db)
    return numAffectedRows === 1n
  }

  /** Marks an order as returned to its client by send-order, pending or not. */
  async markReturned(apiKey: string): Promise<void> {
    await sql`update orders set told = true where api_key = ${apiKey}`.execute(this.db)
  }

  /**
   * Locks an order that its restaurant has until the end of the transaction. Returns null for any other order and for a cancelled
   * one.
   */
  async lockTransmitted(apiKey: string): Promise<OrderRow | null> {
    const { rows } = await sql<OrderRow>`
    select ${ORDER} from orders where api_key = ${apiKey} and ${isTransmitted} and cancellation is null for update`.execute(
      this.db,
    )
    return rows[0] ?? null
  }

  /** Appends a status to the history. */
  async addStatus(apiKey: string, status: OrderStatus): Promise<void> {
    await sql`
    with changed as (update orders set status = ${status} where api_key = ${apiKey})
    insert into order_statuses (order_api_key, position, status)
    select ${apiKey}, max(position) + 1, ${status} from order_statuses where order_api_key = ${apiKey}
  `.execute(this.db)
  }
}
