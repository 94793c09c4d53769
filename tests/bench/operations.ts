import { card, seedRestaurants, pickup } from '../support/fixtures.ts'
import { requestOf, UNIQUE, type Request } from '../support/load/generator.ts'

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
  /** The limits for the comparison. Together they are the least work that the operation needs. Without limits, it has no ratio. */
  limits?: readonly string[]
  path: (context: Context) => string
  headers?: (context: Context) => Record<string, string>
  /** The order that the operation places. The cost of its saga is included. */
  order?: (context: Context) => object
  expects?: number
}

/*
 * The least work of any design of a card order. The order is written before the request of its charge and after the response. The
 * gateway and the service of the charges are separate processes, and the payment processor is a third party. Prices and charges are
 * requested by messages. Each part is measured separately.
 */
const CARD_ORDER_LIMITS = ['writes', 'exchanges', 'hops'] as const

const SEND_ORDER = '/publicapi/v1/send-order'
const menuPath = () => `/publicapi/v1/restaurant/${seedRestaurants.aurora}/menu?includeCustomizations=true`
const cardOrder = ({ itemApiKey }: Context) =>
  pickup(seedRestaurants.aurora, itemApiKey, { payment: 'card', card: card() })

/** All operations that the bench measures. */
const operations = {
  menu: {
    limits: ['Fastify: menu'],
    path: menuPath,
  },
  'menu-unchanged': {
    limits: ['Fastify: 304'],
    path: menuPath,
    headers: ({ menuEtag }) => ({ 'if-none-match': menuEtag }),
    expects: 304,
  },
  restaurant: {
    limits: ['Fastify: restaurant'],
    path: () => `/publicapi/v1/restaurant/${seedRestaurants.aurora}`,
  },
  search: {
    limits: ['Fastify: search'],
    path: () =>
      '/publicapi/v1/restaurant/search?street-address=2%20E%20Main%20St%2C%20Madison%2C%20WI%2053703',
  },
  'cash-order': {
    path: () => SEND_ORDER,
    order: ({ itemApiKey }) => pickup(seedRestaurants.aurora, itemApiKey),
  },
  'card-order': {
    limits: CARD_ORDER_LIMITS,
    path: () => SEND_ORDER,
    order: cardOrder,
  },
  'card-order-with-key': {
    limits: CARD_ORDER_LIMITS,
    path: () => SEND_ORDER,
    headers: () => ({ 'idempotency-key': UNIQUE }),
    order: cardOrder,
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
    path: ({ userApiKey }) => `/publicapi/v1/user/${userApiKey}`,
  },
} as const satisfies Record<string, Scenario>

export type OperationName = keyof typeof operations
export const operationNames = Object.keys(operations) as OperationName[]
export const scenarioOf = (name: OperationName): Scenario => operations[name]

/** Returns a request of the operation. */
export function requestFor(name: OperationName, context: Context): Request {
  const { path, headers, order } = scenarioOf(name)
  const line = { path: path(context), key: context.accessKey, headers: headers?.(context) ?? {} }
  return requestOf({ method: order ? 'POST' : 'GET', ...line }, order?.(context))
}
