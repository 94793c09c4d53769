/* What clients do, as the bench asks for it. */

/** Of a platform that is filled: what requests are made of. */
export type Context = {
  accessKey: string
  restaurantApiKey: string
  /** Can be ordered without a choice. */
  itemApiKey: string
  /** Has 200 orders. */
  userApiKey: string
  orderApiKey: string
  menuEtag: string
}

/** A request, and the status that it has to be answered with. */
export type Asked = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  expects: number
}

const API = '/publicapi/v1'
const menu = ({ restaurantApiKey }: Context) =>
  `${API}/restaurant/${restaurantApiKey}/menu?includeCustomizations=true`

const get = (path: string, { accessKey }: Context): Asked => ({
  method: 'GET',
  path,
  headers: { 'x-access-token': accessKey },
  expects: 200,
})

const post = (path: string, { accessKey }: Context, body: object): Asked => ({
  method: 'POST',
  path,
  headers: { 'x-access-token': accessKey, 'content-type': 'application/json' },
  body: JSON.stringify(body),
  expects: 200,
})

const card = {
  apiKey: null,
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber: '4242424242424242',
  expirationMonth: '09',
  expirationYear: '39',
}

/** Two of an item for pickup, by a guest whom nobody else is. */
const order = ({ restaurantApiKey, itemApiKey }: Context, n: number, payment: object) => ({
  restaurantApiKey,
  items: [{ apiKey: itemApiKey }, { apiKey: itemApiKey, comments: `number ${n}` }],
  method: 'pickup',
  recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  ...payment,
})

const requests = {
  menu: (context: Context) => get(menu(context), context),
  'menu-unchanged': (context: Context): Asked => {
    const { headers, ...asked } = get(menu(context), context)
    return { ...asked, headers: { ...headers, 'if-none-match': context.menuEtag }, expects: 304 }
  },
  restaurant: (context: Context) => get(`${API}/restaurant/${context.restaurantApiKey}`, context),
  search: (context: Context) =>
    get(`${API}/restaurant/search?street-address=2%20E%20Main%20St%2C%20Madison%2C%20WI%2053703`, context),
  'cash-order': (context: Context, n: number) =>
    post(`${API}/send-order`, context, order(context, n, { payment: 'cash' })),
  'card-order': (context: Context, n: number) =>
    post(`${API}/send-order`, context, order(context, n, { payment: 'card', card })),
  'card-order-with-key': (context: Context, n: number): Asked => {
    const { headers, ...asked } = requests['card-order'](context, n)
    return { ...asked, headers: { ...headers, 'idempotency-key': crypto.randomUUID() } }
  },
  'get-order': (context: Context) => get(`${API}/order/${context.orderApiKey}`, context),
  'order-history': (context: Context) => get(`${API}/user/${context.userApiKey}/orders`, context),
  'get-user': (context: Context) => get(`${API}/user/${context.userApiKey}`, context),
} satisfies Record<string, (context: Context, n: number) => Asked>

export type OperationName = keyof typeof requests
export const operationNames = Object.keys(requests) as OperationName[]

/** The `n`th request of its kind. */
export const requestOf = (name: OperationName, context: Context, n: number): Asked =>
  requests[name](context, n)
