import type {
  CreditCard,
  MenuCategory,
  Operation,
  Order,
  OrderStatusRecord,
  OrderStory,
  ProblemDocument as ProblemBody,
  Restaurant,
  RestaurantOrder,
  User,
} from '@platter/contracts'
import { expect } from 'vitest'
import { Api, expectOk, type ClientResponse, type Options } from '../support/api.ts'
import type { LedgerLine, Receipt } from '../support/books.ts'
import { seedRestaurants, home, maria, card, cardNumbers, pickup } from '../support/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { readLines } from '../support/json-lines.ts'
import { keyOf, ownStack, stack } from './stack.ts'

/* The client of the end-to-end tests. */

export const api = new Api(stack)
export const { call, get, post, operator, register, sendOrder } = api
/** Returns items of a restaurant without required choices, the most expensive first. */
export const { plainItems } = api

/**
 * Returns the header of a request from a new network. 30 bad access keys a minute block the network that sends them. Only a stack
 * that this run started trusts the header.
 */
export function fromElsewhere() {
  ownStack()
  const [, one, other] = crypto.randomUUID().split('-')
  return { headers: { 'x-forwarded-for': `2001:db8:${one}:${other}::1` } }
}

/** Returns an order of a guest for pickup, paid in cash. It has two of the most expensive item without required choices. */
export async function anOrder(
  restaurantApiKey: string,
  changes: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  return pickup(restaurantApiKey, await api.plainItem(restaurantApiKey), changes)
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

/** Waits until the saga of an order has ended. */
export const sagaEnded = (orderApiKey: string) =>
  eventually(
    () => operator<OrderStory>('GET', `orders/${orderApiKey}`),
    ({ body }) => body.saga.state !== 'running',
  )

/** Places an order, and waits until its card is charged and its saga has ended. */
export async function paidByCard(restaurant: string = seedRestaurants.aurora): Promise<string> {
  const order = await anOrder(restaurant, { payment: 'card', card: card() })
  const { apiKey } = expectOk(await sendOrder(order))
  await sagaEnded(apiKey)
  return apiKey
}

/** Returns the results of four reads in a row, which reach all replicas of gateway and catalog. Equal results are one word. */
export async function agreed(read: () => Promise<unknown>): Promise<string> {
  const results = await Promise.all(Array.from({ length: 4 }, read))
  return [...new Set(results.map(String))].join(' and ')
}

export const becomes = (read: () => Promise<unknown>, wanted: string): Promise<string> =>
  eventually(
    () => agreed(read),
    (result) => result === wanted,
  )

/** The ledger of the payment processor. */
export const ledger = (): LedgerLine[] => readLines(ownStack().data.ledger)

/**
 * Returns the lines of an authorization with this total. Other tests write to the ledger at the same time, so a test identifies an
 * order without an apiKey by a unique total.
 */
export const authorizationsOf = async (total: number): Promise<LedgerLine[]> =>
  ledger().filter(({ kind, amount }) => kind === 'authorize' && amount === Math.round(total * 100))

/** Returns the lines of one order. */
export const ledgerOf = async (orderApiKey: string): Promise<LedgerLine[]> =>
  ledger().filter(({ reference }) => reference === orderApiKey)

/** Returns the transmissions of one order that the simulated restaurants received. */
export const receiptsOf = async (orderApiKey: string): Promise<Receipt[]> =>
  readLines<Receipt>(ownStack().data.receipts).filter((line) => line.orderApiKey === orderApiKey)

/** Sends a request of a restaurant, by default of the one with a console. Its orders change only by its reports. */
export const asRestaurant = <T>(path: string, body?: unknown, key = keyOf(seedRestaurants.console)) =>
  call<T & Omit<ProblemBody, 'status'>>(`/restaurantapi/v1/${path}`, { key, body })

export const report = (apiKey: string, status: string, key?: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/status`, { status }, key)

export const refuse = (apiKey: string, reason: string, key?: string) =>
  asRestaurant<RestaurantOrder>(`order/${apiKey}/refuse`, { reason }, key)

export const validate = <T = Order>(order: unknown) => post<T>('validate-order', order)

/** Sends an order to validate-order. Returns the status, and code and pointer of each fault. A problem without faults has its code. */
export async function refusal(order: unknown): Promise<{ status: number; faults: string[] }> {
  const { status, body } = await validate<Partial<ProblemBody>>(order)
  const { code, errors = [] } = body
  const faults = errors.map((fault) => `${fault.code} ${fault.pointer}`)
  return { status, faults: code !== undefined && faults.length === 0 ? [code] : faults }
}

export const only = (status: number, fault: string) => ({ status, faults: [fault] })

/** Checks that a response matches the schema of its endpoint exactly, without missing or additional members. */
export function expectConforms(operation: Operation, body: unknown): void {
  expect(operation.response.parse(body)).toEqual(body)
}

export { card, cardNumbers, seedRestaurants, eventually, expectOk, home, maria, stack }
export type { ClientResponse, CreditCard, MenuCategory, Options, Order, ProblemBody, Restaurant, User }
