import { card, cast, pickup } from '../support/cast.ts'
import { requestBytes, UNIQUE } from '../support/load/generator.ts'

/** The data of a platform that the requests need. */
export type Context = {
  accessKey: string
  itemApiKey: string
  /** A user with 200 orders. */
  userApiKey: string
  orderApiKey: string
  menuEtag: string
}

type Scenario = {
  /** The limits for the comparison. Together they are the least work that the operation needs. */
  limits: readonly string[]
  method?: 'GET' | 'POST'
  path: (context: Context) => string
  headers?: (context: Context) => Record<string, string>
  body?: (context: Context) => object
  expects?: number
  /** The operation places an order. The cost of its saga is included. */
  isOrder?: true
}

/*
 * The least work of any design of an order. The order is written before the request of its charge and after the response. The
 * gateway and the service of the charges are separate processes, and the payment processor is a third party. Prices and charges are
 * requested by messages. Each part is measured separately.
 */
export const CARD_ORDER_LIMITS = [
  'writes: card, 4 commits',
  'exchanges: card, 2 internal and 3 with the processor',
  'hops: card, 4 light',
] as const
export const CASH_ORDER_LIMITS = [
  'writes: cash, 2 commits',
  'exchanges: cash, 1 internal',
  'hops: cash, 2 light',
] as const

const SEND_ORDER = '/publicapi/v1/send-order'
const menuPath = () => `/publicapi/v1/restaurant/${cast.aurora}/menu?includeCustomizations=true`
const cardOrder = ({ itemApiKey }: Context) =>
  pickup(cast.aurora, itemApiKey, { payment: 'card', card: card() })

/** All operations that the bench measures. */
const operations = {
  menu: {
    limits: ['nginx → Fastify: menu'],
    path: menuPath,
  },
  'menu-unchanged': {
    limits: ['nginx → Fastify: 304'],
    path: menuPath,
    headers: ({ menuEtag }) => ({ 'if-none-match': menuEtag }),
    expects: 304,
  },
  restaurant: {
    limits: ['nginx → Fastify: restaurant'],
    path: () => `/publicapi/v1/restaurant/${cast.aurora}`,
  },
  search: {
    limits: ['nginx → Fastify: search'],
    path: () =>
      '/publicapi/v1/restaurant/search?street-address=2%20E%20Main%20St%2C%20Madison%2C%20WI%2053703',
  },
  'cash-order': {
    limits: CASH_ORDER_LIMITS,
    method: 'POST',
    path: () => SEND_ORDER,
    body: ({ itemApiKey }) => pickup(cast.aurora, itemApiKey),
    isOrder: true,
  },
  'card-order': {
    limits: CARD_ORDER_LIMITS,
    method: 'POST',
    path: () => SEND_ORDER,
    body: cardOrder,
    isOrder: true,
  },
  'card-order-with-key': {
    limits: CARD_ORDER_LIMITS,
    method: 'POST',
    path: () => SEND_ORDER,
    headers: () => ({ 'idempotency-key': UNIQUE }),
    body: cardOrder,
    isOrder: true,
  },
  'get-order': {
    limits: ['Fastify + pg: order'],
    path: ({ orderApiKey }) => `/publicapi/v1/order/${orderApiKey}`,
  },
  'order-history': {
    limits: ['Fastify + pg: history'],
    path: ({ userApiKey }) => `/publicapi/v1/user/${userApiKey}/orders`,
  },
  'get-user': {
    limits: [],
    path: ({ userApiKey }) => `/publicapi/v1/user/${userApiKey}`,
  },
} as const satisfies Record<string, Scenario>

export type OperationName = keyof typeof operations
export const operationNames = Object.keys(operations) as OperationName[]
export const scenarioOf = (name: OperationName): Scenario => operations[name]

/** Returns the bytes of a request of the operation. */
export function bytesOf(name: OperationName, context: Context): string {
  const { method = 'GET', path, headers, body } = scenarioOf(name)
  const line = { method, path: path(context), key: context.accessKey, headers: headers?.(context) ?? {} }
  return requestBytes(line, body?.(context))
}
