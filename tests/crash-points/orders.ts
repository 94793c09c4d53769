import type { Order, User } from '@platter/contracts'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Api, ClientResponse } from '../support/api.ts'
import { readBooks, type Books } from '../support/books.ts'
import { seedRestaurants } from '../support/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import {
  RESPONSE_WITHIN_MS,
  finalOf,
  orderOf,
  recordOf,
  sendOnce,
  untilFinal,
  type Entry,
} from '../support/order-clients.ts'
import { isAfterSale, type AfterSale, type Kind } from './points.ts'

/** The kind of an order before its change. */
const orderKind = (kind: Kind): Entry['kind'] => (isAfterSale(kind) ? 'card' : kind)

const RETRIED_WITHIN_MS = 120_000

/** Repeats a request until a final response arrives. */
export function retry<T>(send: () => Promise<T | null>): Promise<T | null> {
  const end = performance.now() + RETRIED_WITHIN_MS
  return untilFinal(send, { pauseMs: () => 300, isOver: () => performance.now() > end })
}

export type Sent = ClientResponse<Partial<Order> & { code?: string }> | null

/** `key` belongs to the order. The change has a separate idempotency key. */
type Change = { key: string; apiKey: string }

/** The services record the events of a request whose id is `crash-` and the key of its order. */
const optionsOf = (key: string, order: string) => ({
  headers: { 'idempotency-key': key, 'x-request-id': `crash-${order}` },
  timeoutMs: RESPONSE_WITHIN_MS,
})

/** The gateway looks up an access key once a second. This request triggers the lookup before the test records calls. */
export const warmUp = (api: Api) => get(api, `restaurant/${seedRestaurants.aurora}`)

export async function bodyOf(api: Api, kind: Kind, key: string, user: string): Promise<object> {
  const order = await orderOf(api, key, orderKind(kind))
  return {
    ...order,
    ...(kind === 'card' && { recipient: { apiKey: user } }),
    // Each order has a new card. Platter would not save a known card again, and the order would have fewer steps.
    ...(kind !== 'cash' && { card: { ...(order['card'] as object), cardholderStreetAddress: key } }),
  }
}

/** Sends the order once; null without a final response. When the bank requires a challenge, the customer confirms it. */
export const sendOrder = (api: Api, key: string, body: object): Promise<Sent> =>
  sendOnce(api, body, optionsOf(key, key))

/** As operator, refunds a part of an order or cancels it, once. Returns the status, or null without a final response. */
export async function changeOrder(
  api: Api,
  kind: AfterSale,
  { key, apiKey }: Change,
): Promise<number | null> {
  const [path, body] =
    kind === 'refund'
      ? ['refunds', { items: [{ index: 0 }], reason: 'MISSING_ITEM' }]
      : ['cancel', { reason: 'Power failure' }]
  const options = optionsOf(`${key}-${kind}`, key)
  const response = await finalOf(api.operator('POST', `orders/${apiKey}/${path}`, body, options))
  return response?.status ?? null
}

export async function cardsOf(api: Api, user: string): Promise<string[]> {
  const { body } = await get<User>(api, `user/${user}`)
  return body.creditCards.map(({ apiKey }) => apiKey)
}

/** Retries while the next test kills the service that serves the request. */
async function get<T>(api: Api, path: string): Promise<ClientResponse<T>> {
  const response = await retry(() => finalOf(api.get<T>(path, { timeoutMs: RESPONSE_WITHIN_MS })))
  if (response === null) throw new Error(`GET ${path} never had a response`)
  return response
}

/** Returns the record of the order for its client. */
export const entryOf = (key: string, kind: Kind, sent: Sent): Entry => ({
  key,
  kind: orderKind(kind),
  response: sent && recordOf(sent),
})

/** Returns the records of the orders with a key when all of them have ended, or at the end of the time. */
export const settledBooks = (stack: StackFile, key: string, withinMs: number): Promise<Books> =>
  eventually(
    async () => only(await readBooks(stack), key),
    ({ orders }) => orders.every(({ finished }) => finished),
    withinMs,
    250,
  )

function only({ orders, ledger, receipts }: Books, key: string): Books {
  const own = orders.filter((order) => order.key === key)
  const keys = new Set(own.map(({ apiKey }) => apiKey))
  return {
    orders: own,
    ledger: ledger.filter(({ reference }) => keys.has(reference)),
    receipts: receipts.filter(({ orderApiKey }) => keys.has(orderApiKey)),
  }
}
