import { operations } from '@platter/contracts'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { anOrder, call, card, seedRestaurants, delivered, home, maria } from './client.ts'
import { aRestaurant, menuItem, newKey } from './own-restaurant.ts'
import * as records from './strict-records.ts'

/** The operations whose responses were decoded. */
const decoded = new Set<string>()
/** Responses that could not be decoded, or had an unexpected status. */
let unreadable: unknown[] = []
beforeEach(() => void (unreadable = []))

type RequestParts = { params?: Record<string, string>; query?: string; body?: unknown; status?: number }

/** Calls an operation by its name, decodes the response and returns it. */
async function decode<T>(name: string, reader: z.ZodType, parts: RequestParts = {}): Promise<T> {
  const { params = {}, query = '', body, status = 200 } = parts
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  const path = operation.path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? 'none')
  const response = await call<T>(`${path}${query}`, {
    method: operation.method,
    body,
    headers: keyed(params),
  })
  const faults = records.complaints(reader, response.text)
  if (response.status !== status || faults.length > 0) unreadable.push([name, query, response.status, faults])
  if (status === 200) decoded.add(name)
  return response.body
}

const keyed = ({ sentAs }: Record<string, string>) =>
  sentAs === undefined ? {} : { 'idempotency-key': sentAs }

test('a strictly typed reader decodes restaurants and menus with whole prices and closed days', async () => {
  const zones = [
    { apiKey: newKey(), maxRadius: 3, deliveryMin: 10, deliveryPrice: 0 },
    { apiKey: newKey(), zips: ['67401'] },
  ]
  const plain = { minFreeDelivery: 30, deliveryPrice: 4, taxRate: 0, latitude: 39, longitude: -97, zones }
  const hours = { Monday: [], Friday: ['11:00 AM - 3:00 AM'] }
  const own = await aRestaurant({ ...plain, hours }, [menuItem(8), menuItem(0)])
  for (const apiKey of [own, ...Object.values(seedRestaurants)]) {
    await decode('restaurant-details', records.details, { params: { apiKey } })
    await decode('restaurant-details', records.details, {
      params: { apiKey },
      query: '?street-address=53703',
    })
    await decode('restaurant-menu', records.menu, { params: { apiKey } })
    const query = '?includeCustomizations=true'
    const menu = await decode<{ items: { apiKey: string }[] }[]>('restaurant-menu', records.menu, {
      params: { apiKey },
      query,
    })
    const item = menu[0]?.items[0]?.apiKey ?? 'none'
    await decode('item-customizations', z.array(records.group), { params: { apiKey: item } })
  }
  for (const query of ['', '?street-address=Salina,+KS', '?latitude=39&longitude=-97'])
    await decode('restaurant-search', records.found, { query })
  await decode('payment-methods', records.paymentMethods, {})
  await decode('restaurant-search-test', records.found, { query: '?latitude=43&longitude=-89' })
  expect(unreadable).toEqual([])
})

type Keyed = { apiKey: string }

test('a strictly typed reader decodes users, cards and addresses', async () => {
  const account = {
    ...maria,
    email: `${crypto.randomUUID()}@example.org`,
    password: 'a long enough password',
  }
  const { apiKey } = await decode<Keyed>('register-user', records.user, { body: account })
  const params = { apiKey }
  await decode('signin', records.user, { body: account })
  const saved = await decode<Keyed>('add-card', records.creditCard, { params, body: card() })
  const place = await decode<Keyed>('add-address', records.address, { params, body: home })
  await decode('user', records.user, { params })
  await decode('update-user', records.user, { params, body: { phone: '608-555-0100' } })
  await decode('remove-card', records.creditCard, { params: { ...params, cardApiKey: saved.apiKey } })
  await decode('remove-address', records.address, { params: { ...params, addressApiKey: place.apiKey } })
  expect(unreadable).toEqual([])
})

test('a strictly typed reader decodes orders, their statuses and problems', async () => {
  const email = `${crypto.randomUUID()}@example.org`
  const user = await decode<Keyed>('register-user', records.user, {
    body: { ...maria, email, password: 'a long enough password' },
  })
  const recipient = { apiKey: user.apiKey }
  const byCard = { payment: 'card', card: card(), method: 'delivery', address: home, tip: 3 }
  await decode('validate-order', records.validated, { body: await anOrder(seedRestaurants.aurora) })
  await decode('validate-order', records.validated, { body: await anOrder(seedRestaurants.aurora, byCard) })
  const body = await anOrder(seedRestaurants.aurora, { ...byCard, recipient })
  const sentAs = crypto.randomUUID()
  const { apiKey } = await decode<Keyed>('send-order', records.order, { body, params: { sentAs } })
  // A replay of the response.
  await decode('send-order', records.order, { body, params: { sentAs } })
  await decode('order-by-key', records.order, { params: { idempotencyKey: sentAs } })
  await delivered(apiKey)
  await decode('order', records.order, { params: { apiKey } })
  await decode('order-status', records.orderStatus, { params: { apiKey } })
  await decode('order-statuses', z.array(records.orderStatus), { params: { apiKey } })
  await decode('user-orders', z.array(records.order), { params: { apiKey: user.apiKey } })
  const pending = await decode<Keyed>('send-order', records.order, {
    body: await anOrder(seedRestaurants.console),
  })
  await decode('cancel-order', records.order, { params: { apiKey: pending.apiKey } })
  await decode('order', records.problem, { params: { apiKey: 'none' }, status: 404 })
  await decode('send-order', records.problem, { body: {}, status: 400 })
  const closed = await anOrder(seedRestaurants.closed)
  await decode('send-order', records.problem, { body: closed, status: 422 })
  expect(unreadable).toEqual([])
})

test('the reader rejects an integer, a null, an empty day and a missing member', () => {
  expect(records.complaints(records.orderStatus, '{"orderApiKey":"a","status":null,"date":1.5}')).toEqual([
    '/status: Invalid input: expected string, received null',
    '/date: expected an integer, received 1.5',
  ])
  const reader = z.object({ price: records.restaurant, name: z.string() })
  expect(records.complaints(reader, '{"name":"x"}')).toHaveLength(1)
  const faults = records.complaints(records.details, '{"deliveryMin":8,"taxRate":0,"hours":{"Monday":[]}}')
  expect(faults).toContain('/deliveryMin: expected two decimals, received 8')
  expect(faults).toContain('/taxRate: expected a decimal, received 0')
  expect(faults).toContain('/hours/Monday: Too small: expected array to have >=1 items')
  expect(faults).toContain('/restaurant: Invalid input: expected object, received undefined')
})

test('the reader has decoded a response of every operation for applications', () => {
  const all = operations.filter(({ path }) => path.startsWith('/publicapi/')).map(({ name }) => name)
  expect(all.filter((name) => !decoded.has(name))).toEqual([])
})
