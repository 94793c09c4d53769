import { withClient } from '../../dev/servers/database.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import { readLines } from '../json-lines.ts'

/** An order as the orders schema has it, with what its saga and history say. */
export type OrderRow = {
  apiKey: string
  key: string
  payment: 'cash' | 'card'
  test: boolean
  total: number
  outcome: 'pending' | 'transmitted' | 'failed'
  told: boolean
  paymentState: string
  cancelled: boolean
  finished: boolean
  statuses: string[]
}

export type LedgerLine = {
  kind: 'authorize' | 'capture' | 'void' | 'refund'
  reference: string
  amount: number
  outcome: string
}
export type Receipt = { orderApiKey: string; outcome: 'accepted' | 'refused' }

/** The three books beside the clients': none of them is written by who reads it. */
export type Books = { orders: OrderRow[]; ledger: LedgerLine[]; receipts: Receipt[] }

const ORDERS = `
  select o.api_key as "apiKey", o.details->>'comments' as key, o.payment, o.test, o.total, o.outcome, o.told,
    o.payment_state as "paymentState", o.cancellation is not null as cancelled, s.finished_at is not null as finished,
    array(select status from orders.order_statuses h where h.order_api_key = o.api_key order by position) as statuses
  from orders.orders o join orders.sagas s on s.order_api_key = o.api_key`

export async function readBooks({ urls, data }: StackFile): Promise<Books> {
  const [rows, ledger, receipts] = await Promise.all([
    query<OrderRow>(urls.postgres, ORDERS),
    readLines<LedgerLine>(data.ledger),
    readLines<Receipt>(data.receipts),
  ])
  return { orders: rows, ledger, receipts }
}

/** How many sagas have not ended. */
export async function unfinished({ urls }: StackFile): Promise<number> {
  const [row] = await query<{ count: string }>(
    urls.postgres,
    'select count(*) from orders.sagas where finished_at is null',
  )
  return Number(row?.count ?? 0)
}

const query = <T extends Record<string, unknown>>(url: string, text: string): Promise<T[]> =>
  withClient(url, async (client) => (await client.query<T>(text)).rows)
