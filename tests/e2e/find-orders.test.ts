import { FindOrders, type FoundOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  operator,
  sendOrder,
  type ProblemBody,
  expectConforms,
  report,
} from './client.ts'

const find = (query: Record<string, string | number>) =>
  operator<FoundOrder[] & ProblemBody>(
    'GET',
    `orders?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
  )

/**
 * Seven digits that no other order has. The first digit is not 0: alone, it is the prefix of a long-distance call, and is omitted.
 */
const newNumber = () => String(2_000_000 + (crypto.getRandomValues(new Uint32Array(1))[0]! % 8_000_000))

const guest = (digits: string) => ({
  firstName: 'Nora',
  lastName: 'Berg',
  phone: `(608) ${digits.slice(0, 3)}-${digits.slice(3)}`,
  email: `Nora.${digits}@Example.org`,
})

test('find-orders filters by number, phone, email, restaurant, dates, status and paymentState', async () => {
  const digits = newNumber()
  const from = Math.floor(Date.now() / 1_000) - 60
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.console)),
    recipient: guest(digits),
  })
  const queries = [
    { number: order.id ?? 0 },
    { phone: `+1 608 ${digits}` },
    { phone: `001608${digits}`, status: 'AWAITING_PREPARATION' },
    { email: `nora.${digits}@example.ORG` },
    { phone: `608.${digits}`, restaurant: seedRestaurants.console, from, to: from + 3_600 },
    { email: `nora.${digits}@example.org`, paymentState: 'DUE' },
  ]
  for (const query of queries) {
    const { status, body } = await find(query)
    expect([query, status, body.map(({ apiKey }) => apiKey)]).toEqual([query, 200, [order.apiKey]])
    expectConforms(FindOrders, body)
  }
  await report(order.apiKey, 'PREPARING')
  for (const query of [
    { status: 'AWAITING_PREPARATION' },
    { to: from },
    { restaurant: seedRestaurants.aurora },
  ])
    expect([query, (await find({ phone: `608${digits}`, ...query })).body]).toEqual([query, []])
  const { body: preparing } = await find({
    status: 'PREPARING',
    restaurant: seedRestaurants.console,
    limit: 200,
  })
  expect(preparing.map(({ apiKey }) => apiKey)).toContain(order.apiKey)
})

test('a declined order is found by its telephone number, with outcome failed and visible false', async () => {
  const digits = newNumber()
  const order = await anOrder(seedRestaurants.aurora, {
    payment: 'card',
    card: card(cardNumbers.insufficientFunds),
  })
  expect((await sendOrder({ ...order, recipient: guest(digits) })).status).toBe(402)
  const { body } = await find({ phone: `608${digits}` })
  expect(body).toMatchObject([{ outcome: 'failed', visible: false }])
  expect((await find({ phone: `608${digits}`, paymentState: 'VOIDED' })).body).toEqual([])
})

test('pages are newest first and without gaps', async () => {
  const digits = newNumber()
  const ids: number[] = []
  for (let count = 0; count < 3; count++) {
    const { body } = await sendOrder({
      ...(await anOrder(seedRestaurants.console)),
      recipient: guest(digits),
    })
    ids.unshift(body.id ?? 0)
  }
  const first = await find({ phone: digits, limit: 2 })
  const next = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await operator<FoundOrder[]>('GET', next)
  expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids)
  expect(second.headers.get('link')).toBeNull()
})

test.each(['phone=none', 'status=EATEN', 'number=0', 'from=yesterday', 'limit=201'])(
  '400 invalid-field for %s',
  async (query) => {
    const { status, body } = await operator<ProblemBody>('GET', `orders?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid-field'])
  },
)
