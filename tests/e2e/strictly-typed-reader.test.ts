import { OrderStatusRecord, operations, ProblemDocument, Restaurant } from '@platter/contracts'
import { beforeEach, expect, test } from 'vitest'
import { anOrder, call, card, cast, delivered, home, maria } from './client.ts'
import { aRestaurant, menuItem, newKey } from './own-restaurant.ts'
import { complaints, membersWithoutValue } from './strict-reader.ts'

/** The operations whose responses were decoded. */
const decoded = new Set<string>()
/** Responses that could not be decoded, or had an unexpected status. */
let unreadable: unknown[] = []
beforeEach(() => void (unreadable = []))

type RequestParts = { params?: Record<string, string>; query?: string; body?: unknown; status?: number }

/** Calls an operation by its name, decodes the response and returns it. */
async function decode<T>(name: string, parts: RequestParts = {}): Promise<T> {
  const { params = {}, query = '', body, status = 200 } = parts
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  const path = operation.path.replaceAll(/:(\w+)/g, (_, parameter: string) => params[parameter] ?? 'none')
  const response = await call<T>(`${path}${query}`, {
    method: operation.method,
    body,
    headers: keyed(params),
  })
  const faults = complaints(status === 200 ? operation.response : ProblemDocument, response.text)
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
  for (const apiKey of [own, ...Object.values(cast)]) {
    await decode('restaurant-details', { params: { apiKey } })
    await decode('restaurant-details', {
      params: { apiKey },
      query: '?street-address=53703',
    })
    await decode('restaurant-menu', { params: { apiKey } })
    const query = '?includeCustomizations=true'
    const menu = await decode<{ items: { apiKey: string }[] }[]>('restaurant-menu', {
      params: { apiKey },
      query,
    })
    const item = menu[0]?.items[0]?.apiKey ?? 'none'
    await decode('item-customizations', { params: { apiKey: item } })
  }
  for (const query of ['', '?street-address=Salina,+KS', '?latitude=39&longitude=-97'])
    await decode('restaurant-search', { query })
  await decode('payment-methods', {})
  await decode('restaurant-search-test', { query: '?latitude=43&longitude=-89' })
  expect(unreadable).toEqual([])
})

type Keyed = { apiKey: string }

test('a strictly typed reader decodes users, cards and addresses', async () => {
  const account = {
    ...maria,
    email: `${crypto.randomUUID()}@example.org`,
    password: 'a long enough password',
  }
  const { apiKey } = await decode<Keyed>('register-user', { body: account })
  const params = { apiKey }
  await decode('signin', { body: account })
  const saved = await decode<Keyed>('add-card', { params, body: card() })
  const place = await decode<Keyed>('add-address', { params, body: home })
  await decode('user', { params })
  await decode('update-user', { params, body: { phone: '608-555-0100' } })
  await decode('remove-card', { params: { ...params, cardApiKey: saved.apiKey } })
  await decode('remove-address', { params: { ...params, addressApiKey: place.apiKey } })
  expect(unreadable).toEqual([])
})

test('a strictly typed reader decodes orders, their statuses and problems', async () => {
  const email = `${crypto.randomUUID()}@example.org`
  const user = await decode<Keyed>('register-user', {
    body: { ...maria, email, password: 'a long enough password' },
  })
  const recipient = { apiKey: user.apiKey }
  const byCard = { payment: 'card', card: card(), method: 'delivery', address: home, tip: 3 }
  await decode('validate-order', { body: await anOrder(cast.aurora) })
  await decode('validate-order', { body: await anOrder(cast.aurora, byCard) })
  const body = await anOrder(cast.aurora, { ...byCard, recipient })
  const sentAs = crypto.randomUUID()
  const { apiKey } = await decode<Keyed>('send-order', { body, params: { sentAs } })
  // A replay of the response.
  await decode('send-order', { body, params: { sentAs } })
  await decode('order-by-key', { params: { idempotencyKey: sentAs } })
  await delivered(apiKey)
  await decode('order', { params: { apiKey } })
  await decode('order-status', { params: { apiKey } })
  await decode('order-statuses', { params: { apiKey } })
  await decode('user-orders', { params: { apiKey: user.apiKey } })
  const pending = await decode<Keyed>('send-order', { body: await anOrder(cast.console) })
  await decode('cancel-order', { params: { apiKey: pending.apiKey } })
  await decode('order', { params: { apiKey: 'none' }, status: 404 })
  await decode('send-order', { body: {}, status: 400 })
  const closed = await anOrder(cast.closed)
  await decode('send-order', { body: closed, status: 422 })
  expect(unreadable).toEqual([])
})

const ofApplications = operations.filter(({ audience }) => audience === 'application')

test('only these members of records are absent or null, because a strictly typed reader rejects others', () => {
  expect(membersWithoutValue(ofApplications.map(({ response }) => response))).toEqual({
    absent: [
      'DeliveryZone.description',
      'DeliveryZone.holePoints',
      'DeliveryZone.maxRadius',
      'DeliveryZone.points',
      'DeliveryZone.zips',
      'MenuCategory.description',
      'MenuItem.customizationGroups',
      'MenuItem.description',
      'Order.paymentAction',
      'PaymentAction.clientSecret',
      'Refund.items',
      'Refund.message',
      'Restaurant.closedReason',
      'Restaurant.opensAt',
      'Restaurant.zones',
      'RestaurantDetails.closedReason',
      'RestaurantDetails.opensAt',
      'RestaurantDetails.zones',
      'ValidatedOrder.paymentAction',
      'response.tokenUrl',
    ],
    null: [
      'Address.apiKey',
      'Address.aptNumber',
      'Address.latitude',
      'Address.longitude',
      'CancellationOffer.until',
      'CreditCard.nickname',
      'Order.address',
      'Order.apiKey',
      'Order.cancellation',
      'Order.card',
      'Order.comments',
      'Order.datePlaced',
      'Order.dispute',
      'Order.id',
      'Order.recipientApiKey',
      'OrderCard.apiKey',
      'OrderCard.nickname',
      'OrderDispute.respondBy',
      'OrderItem.comments',
      'Recipient.email',
      'ValidatedOrder.address',
      'ValidatedOrder.apiKey',
      'ValidatedOrder.cancellation',
      'ValidatedOrder.card',
      'ValidatedOrder.comments',
      'ValidatedOrder.datePlaced',
      'ValidatedOrder.dispute',
      'ValidatedOrder.id',
      'ValidatedOrder.recipientApiKey',
      'response.publishableKey',
    ],
  })
})

test('the reader rejects an integer, a null, an empty day and a missing member', () => {
  expect(complaints(OrderStatusRecord, '{"orderApiKey":"a","status":"DELIVERED","date":1.5}')).toEqual([
    'date: expected an integer, received 1.5',
    '/date: Invalid input: expected int, received number',
  ])
  const faults = complaints(
    Restaurant,
    '{"name":null,"zip":53703,"deliveryMin":8,"taxRate":0,"hours":{"Monday":[]}}',
  )
  expect(faults).toContain('/name: Invalid input: expected string, received null')
  expect(faults).toContain('zip: expected no number, received 53703')
  expect(faults).toContain('deliveryMin: expected two decimals, received 8')
  expect(faults).toContain('taxRate: expected a decimal, received 0')
  expect(faults).toContain('Monday: expected an element')
  expect(faults).toContain('/url: Invalid input: expected string, received undefined')
})

test('the reader has decoded a response of every operation for applications', () => {
  expect(ofApplications.map(({ name }) => name).filter((name) => !decoded.has(name))).toEqual([])
})
