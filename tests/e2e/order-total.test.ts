import type { Mismatch } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  card,
  eventually,
  ledger,
  ledgerOf,
  maria,
  operator,
  post,
  readOrder,
  sendOrder,
  type Order,
  type ProblemBody,
  sagaEnded,
} from './client.ts'
import { aKitchen, menuItem, newKey } from './own-restaurant.ts'

const FREE = menuItem(0)
const THIRTY_CENTS = menuItem(0.3)
const FIFTY_CENTS = menuItem(0.5)
const EXPENSIVE_CHOICE = newKey().slice(0, 8)
const EXPENSIVE = menuItem(10_000, {
  customizationGroups: [
    {
      apiKey: newKey(),
      name: 'Gold leaf',
      minCount: 0,
      maxCount: 1000,
      customizations: [
        {
          apiKey: newKey(),
          name: 'Leaves',
          customizationChoices: [{ apiKey: EXPENSIVE_CHOICE, name: 'One', price: 10_000 }],
        },
      ],
    },
  ],
})

const kitchen = aKitchen({ taxRate: 0 }, [FREE, THIRTY_CENTS, FIFTY_CENTS, EXPENSIVE])

async function orderOf(item: { apiKey: string }, changes: Record<string, unknown> = {}) {
  const { apiKey } = await kitchen
  return {
    restaurantApiKey: apiKey,
    items: [{ apiKey: item.apiKey }],
    method: 'pickup',
    payment: 'card',
    card: card(),
    recipient: maria,
    ...changes,
  }
}

type Either = Order & Omit<ProblemBody, 'status'>

/** Returns the responses of validate-order and send-order, which must agree. */
async function validateAndSend(order: unknown) {
  const [validated, sent] = [await post<Either>('validate-order', order), await sendOrder(order)]
  expect([sent.status, sent.body.code]).toEqual([validated.status, validated.body.code])
  expect(sent.body.errors).toEqual(validated.body.errors)
  return sent
}

test('200: a card total of 0 is NOT_REQUIRED, without a processor request or a mismatch', async () => {
  const since = Math.floor(Date.now() / 1000)
  const { status, body: order } = await validateAndSend(await orderOf(FREE))
  expect(status).toBe(200)
  expect(order).toMatchObject({ total: 0, status: 'AWAITING_PREPARATION', paymentState: 'NOT_REQUIRED' })
  await sagaEnded(order.apiKey)
  expect((await readOrder(order.apiKey)).paymentState).toBe('NOT_REQUIRED')
  expect(await ledgerOf(order.apiKey)).toEqual([])
  const { body } = await operator<{ mismatches: Mismatch[] }>('GET', `reconciliation?since=${since}`)
  expect(body.mismatches.filter(({ orderApiKey }) => orderApiKey === order.apiKey)).toEqual([])
})

test('422 below-card-minimum: validate-order and send-order refuse a card total below the minimum before the card is used', async () => {
  const { status, body } = await validateAndSend(await orderOf(THIRTY_CENTS))
  expect(status).toBe(422)
  expect(body).toMatchObject({
    code: 'below-card-minimum',
    retryable: false,
    errors: [{ pointer: '/payment', code: 'below-card-minimum' }],
  })
  expect(body.details).toContain('0.50')
  expect(ledger().filter(({ amount }) => amount === 30)).toEqual([])
})

test('200: a cash total below the minimum, and a captured card total of exactly the minimum', async () => {
  expect((await validateAndSend(await orderOf(THIRTY_CENTS, { payment: 'cash' }))).status).toBe(200)
  const { status, body: order } = await sendOrder(await orderOf(FIFTY_CENTS))
  expect(status).toBe(200)
  await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  expect(await ledgerOf(order.apiKey)).toMatchObject([
    { kind: 'authorize', amount: 50 },
    { kind: 'capture', amount: 50 },
  ])
})

const expensiveItems = (count: number, choices: number) =>
  Array.from({ length: count }, () => ({
    apiKey: EXPENSIVE.apiKey,
    customizationChoices: Array.from({ length: choices }, () => ({ apiKey: EXPENSIVE_CHOICE })),
  }))

test.each(['cash', 'card'])(
  '422 total-too-large: validate-order and send-order refuse a total above 999,999.99 by %s',
  async (payment) => {
    // The last total is above 21,474,836.47, the maximum of a PostgreSQL integer in cents.
    for (const items of [expensiveItems(100, 0), expensiveItems(43, 50)]) {
      const { status, body } = await validateAndSend(await orderOf(EXPENSIVE, { items, payment }))
      expect(status).toBe(422)
      expect(body).toMatchObject({
        code: 'total-too-large',
        errors: [{ pointer: '/items', code: 'total-too-large' }],
      })
    }
    const largest = await validateAndSend(
      await orderOf(EXPENSIVE, { items: expensiveItems(99, 0), payment: 'cash' }),
    )
    expect(largest).toMatchObject({ status: 200, body: { total: 990_000 } })
  },
)
