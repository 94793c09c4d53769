import { withClient } from '../../dev/servers/database.ts'
import type { Refund } from '@platter/contracts'
import type { StackFile } from '../../dev/stack/description.ts'
import { eventually } from './eventually.ts'
import { readLines } from './json-lines.ts'

/** A refund as the database stores it; `amount` in cents. */
type RefundRow = Pick<Refund, 'apiKey' | 'state' | 'requestedBy'> & { amount: number }

/** An order in the schema of the orders service, with its saga and history. */
export type OrderRow = {
  apiKey: string
  /** The idempotency key. The clients of these tests repeat it in the comments of the order. */
  key: string
  payment: 'cash' | 'card'
  test: boolean
  total: number
  outcome: 'pending' | 'transmitted' | 'failed'
  told: boolean
  paymentState: string
  cancelled: boolean
  cancelledBy: string | null
  /** Cents that the cancellation has returned, as clients read it. */
  cancellationRefund: number
  refunds: RefundRow[]
  finished: boolean
  statuses: string[]
}

export type LedgerLine = {
  kind: 'authorize' | 'capture' | 'void' | 'refund' | 'dispute' | 'authenticate'
  reference: string
  amount: number
  outcome: string
  idempotencyKey: string
}
export type Receipt = { orderApiKey: string; outcome: 'accepted' | 'refused' }

/** Three independent records of the same orders: orders service, payment processor, restaurants. */
export type Books = { orders: OrderRow[]; ledger: LedgerLine[]; receipts: Receipt[] }

const ORDERS = /* sql */ `
  select o.api_key as "apiKey", o.details->>'comments' as key, o.payment, o.test, o.total, o.outcome, o.told,
    o.payment_state as "paymentState", o.cancellation is not null as cancelled, o.cancellation->>'cancelledBy' as "cancelledBy",
    round(coalesce((o.cancellation->'refund'->>'amount')::numeric, 0) * 100)::int4 as "cancellationRefund",
    coalesce(o.refunds, '[]') as refunds, s.finished_at is not null as finished,
    array(select status from orders.order_statuses h where h.order_api_key = o.api_key order by position) as statuses
  from orders.orders o join orders.sagas s on s.order_api_key = o.api_key`

export async function readBooks({ urls, data }: StackFile): Promise<Books> {
  // The orders first: the effects of an order that has ended are then in the other records.
  const orders = await query<OrderRow>(urls.postgres, ORDERS)
  return { orders, ledger: readLines(data.ledger), receipts: readLines(data.receipts) }
}

/** Returns the number of orders in the database. */
export const storedOrders = ({ urls }: StackFile): Promise<number> => count(urls.postgres, 'orders.orders')

/** Resolves with true when every saga has finished, or with false at the end of the time. */
export async function settled({ file }: { file: StackFile }, withinMs = 60_000): Promise<boolean> {
  // PostgreSQL may still restart after the last fault.
  const read = () => count(file.urls.postgres, 'orders.sagas where finished_at is null').catch(() => null)
  return (await eventually(read, (left) => left === 0, withinMs, 250)) === 0
}

const query = <T extends Record<string, unknown>>(url: string, text: string): Promise<T[]> =>
  withClient(url, async (client) => (await client.query<T>(text)).rows)

const count = async (url: string, from: string): Promise<number> =>
  (await query<{ count: number }>(url, `select count(*)::int4 as count from ${from}`))[0]?.count ?? 0
