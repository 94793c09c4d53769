import { setTimeout as wait } from 'node:timers/promises'
import type { CreditCard, MenuCategory, Order, OrderStatusRecord, Restaurant, User } from '@platter/contracts'
import { readLines } from '../json-lines.ts'
import { stack } from './stack.ts'

/** What the gateway answers, by path; enough of it to read tests by. */
export type Answer<T> = {
  status: number
  headers: Headers
  body: T
}

export type ProblemBody = {
  type: string
  status: number
  code: string
  detail: string
  requestId: string
  retryable: boolean
  declineCode?: string
  errors: { pointer: string; code: string; detail: string }[]
  error: true
  errorCode: number
  details: string
}

type Options = { method?: string; key?: string | null; body?: unknown; headers?: Record<string, string> }

/** Calls the gateway as a client application would. `key: null` sends no access key. */
export async function call<T>(
  path: string,
  { method, key, body, headers = {} }: Options = {},
): Promise<Answer<T>> {
  const { gateway, accessKey } = stack()
  const token = key === undefined ? accessKey : key
  const answer = await fetch(`${gateway}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== null && { 'x-access-token': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as T,
  }
}

const hextet = () => crypto.randomUUID().slice(0, 4)
/** Another network each time: bad access keys are counted by network, and 30 a minute hold off all that come from one. */
export const fromElsewhere = () => ({ headers: { 'x-forwarded-for': `2001:db8:${hextet()}:${hextet()}::1` } })

const API = '/publicapi/v1'

export const get = <T>(path: string, options: Options = {}) => call<T>(`${API}/${path}`, options)
export const post = <T>(path: string, body: unknown, options: Options = {}) =>
  call<T>(`${API}/${path}`, { ...options, body })
export const operator = <T>(method: string, path: string, body?: unknown) =>
  call<T>(`/operatorapi/v1/${path}`, {
    method,
    key: stack().operatorKey,
    ...(body !== undefined && { body }),
  })

/** What send-order answers, one or the other; tests say by the status which one they expect. */
type Sent = Order & { apiKey: string } & Omit<ProblemBody, 'status'>

export const sendOrder = (body: unknown, options: Options = {}) => post<Sent>('send-order', body, options)

/** The restaurants of the development seed, by what they are good for. */
export const cast = {
  aurora: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  refuses: '02f207fb3951c1b86a7a941a2ff08f2514787ace1e3c380a',
  unreachable: 'deb27df11362eb3fef85a472e4653443a7d0cd210c999271',
  silent: 'efbe0778b08501a1899cea1e2d425888ea5133d9e27fc6c4',
  slow: 'ec1adc6b1ea289fa91ad435100408631f80626f17daf23ca',
  coarse: 'c7f72532f1c28c15c2b2207ae6de2ee3bebd4225ab391b6e',
  closed: 'c6f5ca763f2cff78343e1c66b75c26d58aeb36ab4ff31b94',
  cashOnly: '0b265dfddd88c26366d0fa74b968bd6ba2594da96ee1960b',
  pickupOnly: 'b8c95d0008254300f0516b5ad9ef49ac9888a2aefb1725e9',
  console: '76191ea61a099af3ffa7543db18b4efbaeb8911df183588f',
  test: '58e5fd946c7b9fabc1850ddd0bd97ad9f893aafef8108b08',
  testCoarse: '27d136bc8dbfc3ef0d23b5f796862fa7644d1c91634ea9c5',
} as const

export const maria = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }

export const home = {
  streetAddress: '316 W Washington Ave',
  aptNumber: '4',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}

/** The development processor's test cards. */
export const cardNumbers = {
  good: '4242424242424242',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  expired: '4000000000000069',
  wrongCvc: '4000000000000127',
}

export const card = (cardNumber: string = cardNumbers.good) => ({
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber,
  expirationMonth: '09',
  expirationYear: '31',
})

/** A registered user with an e-mail address of her own. */
export async function register(options: Options = {}): Promise<User> {
  const email = `maria.${crypto.randomUUID()}@example.org`
  const { body } = await post<User>(
    'register-user',
    { ...maria, email, password: 'a long enough password' },
    options,
  )
  return body
}

/** Items that can be ordered without a choice, dearest first, so that any delivery minimum can be met. */
export async function plainItems(restaurantApiKey: string): Promise<readonly PlainItem[]> {
  const items = known.get(restaurantApiKey) ?? (await readPlainItems(restaurantApiKey))
  if (seeded.has(restaurantApiKey)) known.set(restaurantApiKey, items)
  return items
}

type PlainItem = { apiKey: string; basePrice: number }

/** No test changes their menus, which are read for each order otherwise: 120 items at Aurora. */
const seeded: ReadonlySet<string> = new Set(Object.values(cast))
const known = new Map<string, readonly PlainItem[]>()

async function readPlainItems(restaurantApiKey: string): Promise<PlainItem[]> {
  const { body } = await get<MenuCategory[]>(`restaurant/${restaurantApiKey}/menu?includeCustomizations=true`)
  return body
    .flatMap(({ items }) => items)
    .filter(
      ({ available, customizationGroups = [] }) =>
        available && customizationGroups.every(({ minCount }) => minCount === 0),
    )
    .toSorted((one, other) => other.basePrice - one.basePrice)
}

/** An order of a guest for pickup, paid in cash: two of the dearest plain item. */
export async function anOrder(
  restaurantApiKey: string,
  changes: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const [item] = await plainItems(restaurantApiKey)
  if (!item) throw new Error(`${restaurantApiKey} has nothing that can be ordered without a choice`)
  return {
    restaurantApiKey,
    items: [{ apiKey: item.apiKey }, { apiKey: item.apiKey, comments: 'well done, please' }],
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
    ...changes,
  }
}

/** Reads again every 50 ms until it is as wanted; the last answer when it never is, so that the test shows it. */
export async function eventually<T>(
  read: () => Promise<T>,
  wanted: (value: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const value = await read()
    if (wanted(value) || performance.now() > end) return value
    await wait(50)
  }
}

export const statusesOf = async (orderApiKey: string): Promise<string[]> => {
  const { body } = await get<OrderStatusRecord[]>(`order/${orderApiKey}/statuses`)
  return body.map(({ status }) => status)
}

export const delivered = (orderApiKey: string): Promise<string[]> =>
  eventually(
    () => statusesOf(orderApiKey),
    (statuses) => statuses.at(-1) === 'DELIVERED',
  )

export const readOrder = async (apiKey: string): Promise<Order> => (await get<Order>(`order/${apiKey}`)).body

type LedgerLine = { kind: string; reference: string; amount: number; outcome: string }

/** What the processor's own ledger says of an order: trusts nobody. */
export async function ledgerOf(orderApiKey: string): Promise<LedgerLine[]> {
  return (await readLines<LedgerLine>(stack().data.ledger)).filter(
    ({ reference }) => reference === orderApiKey,
  )
}

/** What the simulated restaurants received of an order. */
export async function receiptsOf(orderApiKey: string): Promise<{ outcome: string }[]> {
  const lines = await readLines<{ orderApiKey: string; outcome: string }>(stack().data.receipts)
  return lines.filter((line) => line.orderApiKey === orderApiKey)
}

/** Every line of the ledger, to find what an order that nobody may see has left. */
export const ledger = (): Promise<LedgerLine[]> => readLines<LedgerLine>(stack().data.ledger)

export { stack }
export type { CreditCard, MenuCategory, Order, Restaurant, User }
