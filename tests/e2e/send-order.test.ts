import { expect, test } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  delivered,
  eventually,
  get,
  home,
  ledger,
  ledgerOf,
  plainItems,
  post,
  readOrder,
  receiptsOf,
  register,
  sendOrder,
  statusesOf,
  type Order,
  type User,
} from './client.ts'
import { isOtherPlatform, ownStack } from './stack.ts'

const cents = (money: number) => Math.round(money * 100)

test('200: a guest orders pickup in cash; the order is delivered, and no card is charged', async () => {
  const { status, body: order } = await sendOrder(await anOrder(seedRestaurants.aurora))
  expect(status).toBe(200)
  expect(order).toMatchObject({
    status: 'AWAITING_PREPARATION',
    paymentState: 'DUE',
    payment: 'cash',
    recipientApiKey: null,
    cancellation: null,
  })
  expect(order.apiKey).toMatch(/^[0-9a-f]{48}$/)
  expect(order.items.map(({ comments }) => comments)).toEqual([null, 'well done, please'])
  expect(cents(order.total)).toBe(
    cents(order.subtotal) + cents(order.tax) + cents(order.tip) + cents(order.deliveryPrice),
  )

  expect(await delivered(order.apiKey)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'READY_FOR_PICKUP',
    'DELIVERED',
  ])
  expect(await ledgerOf(order.apiKey)).toEqual([])
  expect(await receiptsOf(order.apiKey)).toMatchObject([{ outcome: 'accepted' }])
})

test('200: a delivery order captures exactly the total and saves the new card and address', async () => {
  const user = await register()
  const [item] = await plainItems(seedRestaurants.aurora)
  const { status, body: order } = await sendOrder({
    restaurantApiKey: seedRestaurants.aurora,
    items: [{ apiKey: item!.apiKey }, { apiKey: item!.apiKey }],
    method: 'delivery',
    payment: 'card',
    tip: '3.50',
    card: { apiKey: null, ...card() },
    address: { apiKey: '', ...home },
    recipient: { apiKey: user.apiKey, firstName: 'Mia' },
  })
  expect(status).toBe(200)
  expect(order).toMatchObject({
    tip: 3.5,
    recipient: { firstName: 'Mia', lastName: 'Lindqvist' },
    card: { lastFour: '4242', brand: 'visa' },
  })
  expect(JSON.stringify(order)).not.toContain(cardNumbers.good)

  const charged = await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  expect(charged.paymentState).toBe('CHARGED')
  expect(await ledgerOf(order.apiKey)).toMatchObject([
    { kind: 'authorize', amount: cents(order.total) },
    { kind: 'capture', amount: cents(order.total) },
  ])

  const saved = await eventually(
    async () => (await get<User>(`user/${user.apiKey}`)).body,
    ({ creditCards, savedAddresses }) => creditCards.length > 0 && savedAddresses.length > 0,
  )
  expect(saved.creditCards.map(({ apiKey }) => apiKey)).toEqual([order.card!.apiKey])
  expect(saved.savedAddresses.map(({ apiKey }) => apiKey)).toEqual([order.address!.apiKey])
  expect(await delivered(order.apiKey)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'OUT_FOR_DELIVERY',
    'DELIVERED',
  ])

  const { body: again } = await sendOrder({
    ...(await anOrder(seedRestaurants.aurora)),
    method: 'delivery',
    payment: 'card',
    card: { apiKey: order.card!.apiKey },
    address: { apiKey: order.address!.apiKey },
    recipient: { apiKey: user.apiKey },
  })
  expect(again).toMatchObject({
    card: { apiKey: order.card!.apiKey },
    address: { apiKey: order.address!.apiKey },
  })
  const { body: history } = await get<Order[]>(`user/${user.apiKey}/orders`)
  expect(history.map(({ apiKey }) => apiKey)).toEqual([again.apiKey, order.apiKey])
})

test('200: an order with coarse reports reaches PREPARING_AND_DELIVERING', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.coarse)),
    method: 'delivery',
    address: home,
    items: await enoughItems(seedRestaurants.coarse),
  })
  expect(await delivered(order.apiKey)).toEqual([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING_AND_DELIVERING',
    'DELIVERED',
  ])
})

test('200: a test order goes to a test restaurant and never to the processor', async () => {
  const { status, body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.test)),
    payment: 'card',
    card: card(),
    test: 'true',
  })
  expect(status).toBe(200)
  expect(order).toMatchObject({ test: true, paymentState: 'NOT_REQUIRED' })
  await delivered(order.apiKey)
  expect(await ledgerOf(order.apiKey)).toEqual([])
})

test('422 not-a-test-restaurant and test-restaurant-only: a test order needs a test restaurant, and the reverse', async () => {
  const toReal = await sendOrder({ ...(await anOrder(seedRestaurants.aurora)), test: true })
  expect(toReal).toMatchObject({
    status: 422,
    body: { code: 'not-a-test-restaurant', errors: [{ pointer: '/test' }] },
  })
  const realToTest = await sendOrder(await anOrder(seedRestaurants.test))
  expect(realToTest).toMatchObject({ status: 422, body: { code: 'test-restaurant-only' } })
})

test.each([
  [cardNumbers.declined, 'card-declined', 'generic_decline'],
  [cardNumbers.insufficientFunds, 'card-declined', 'insufficient_funds'],
  [cardNumbers.expired, 'card-expired', 'expired_card'],
  [cardNumbers.wrongCvc, 'cvc-failed', 'incorrect_cvc'],
])('402: card %s is declined as %s, and no order is visible', async (number, code, declineCode) => {
  const { user, order } = await cardOrderOfNewUser(seedRestaurants.aurora, number)
  const { status, body } = await sendOrder(order)
  expect(status).toBe(402)
  expect(body).toMatchObject({ code, declineCode, retryable: false, error: true })
  expect(await effectsOf(user)).toEqual([`authorize declined:${declineCode}`])
  await expectNothingSaved(user)
})

test('402 with an Idempotency-Key: the URL query is neither returned nor stored', async () => {
  const { order } = await cardOrderOfNewUser(seedRestaurants.aurora, cardNumbers.declined)
  const key = crypto.randomUUID()
  const send = (query: string) =>
    post<{ instance: string }>(`send-order?${query}`, order, { headers: { 'idempotency-key': key } })
  const first = await send('cardNumber=4242424242424242&promo=first')
  const replayed = await send('cardNumber=4242424242424242&promo=again')
  expect(first).toMatchObject({ status: 402, body: { instance: '/publicapi/v1/send-order' } })
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(replayed.body).toEqual(first.body)
  const stored = await withClient(ownStack().urls.postgres, async (client) => {
    const { rows } = await client.query<{ row: string }>(
      'select used::text as row from orders.idempotency_keys used where key = $1',
      [key],
    )
    return rows.map(({ row }) => row)
  })
  expect(stored).toEqual([expect.stringContaining('card-declined')])
  expect(stored.join()).not.toContain('promo')
})

test('422 order-refused: the authorization is voided, and no order is visible', async () => {
  const { user, order } = await cardOrderOfNewUser(seedRestaurants.refuses)
  const { status, body } = await sendOrder(order)
  expect(status).toBe(422)
  expect(body.code).toBe('order-refused')
  expect(body.details).toContain('refused')
  expect(await effectsOf(user)).toEqual(['authorize approved', 'void approved'])
  await expectNothingSaved(user)
})

// These tests mostly wait for deadlines.
test
  .skipIf(isOtherPlatform())
  .concurrent(
    '502 restaurant-unreachable: the deadline passes, the authorization is voided, and no order is visible',
    async () => {
      const { user, order } = await cardOrderOfNewUser(seedRestaurants.unreachable)
      const { status, body } = await sendOrder(order)
      expect(status).toBe(502)
      expect(body).toMatchObject({ code: 'restaurant-unreachable', retryable: true })
      expect(await effectsOf(user)).toEqual(['authorize approved', 'void approved'])
      await expectNothingSaved(user)
    },
  )

test
  .skipIf(isOtherPlatform())
  .concurrent(
    '200 PROCESSING, then cancelled: an order that fails after its response stays visible with the reason',
    async () => {
      const { user, order, total } = await cardOrderOfNewUser(seedRestaurants.silent)
      const { status, body } = await sendOrder(order)
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: 'PROCESSING', cancellation: null })
      const cancelled = await eventually(
        () => readOrder(body.apiKey),
        ({ cancellation }) => cancellation !== null,
        30_000,
      )
      expect(cancelled).toMatchObject({
        status: 'PROCESSING',
        paymentState: 'VOIDED',
        cancellation: {
          reason: 'restaurant-unreachable',
          cancelledBy: 'system',
          refund: { amount: total / 100, state: 'VOIDED' },
        },
      })
      expect(await effectsOf(user)).toEqual(['authorize approved', 'void approved'])
    },
  )

test
  .skipIf(isOtherPlatform())
  .concurrent(
    '200 PROCESSING: an order that is still pending after 8 s is returned, and is charged later',
    async () => {
      const { status, body: order } = await sendOrder({
        ...(await anOrder(seedRestaurants.slow)),
        payment: 'card',
        card: card(),
      })
      expect(status).toBe(200)
      expect(order.status).toBe('PROCESSING')
      expect(await statusesOf(order.apiKey)).toEqual(['PROCESSING'])
      const settled = await eventually(
        () => readOrder(order.apiKey),
        ({ paymentState }) => paymentState === 'CHARGED',
      )
      expect(settled.paymentState).toBe('CHARGED')
      expect(await ledgerOf(order.apiKey)).toMatchObject([{ kind: 'authorize' }, { kind: 'capture' }])
    },
  )

test('400: all faults at once, each with its pointer', async () => {
  const { status, body, headers } = await sendOrder({
    restaurantApiKey: seedRestaurants.aurora,
    items: [{ apiKey: null }],
    method: 'fly',
    payment: 'card',
    tip: 'generous',
    card: { ...card('4242424242424241'), cvv: '1' },
    recipient: { firstName: 'Maria' },
  })
  expect(status).toBe(400)
  expect(headers.get('content-type')).toContain('application/problem+json')
  expect(Object.fromEntries(body.errors.map(({ pointer, code }) => [pointer, code]))).toEqual({
    '/items/0/apiKey': 'missing-field',
    '/method': 'invalid-field',
    '/tip': 'invalid-field',
    '/card/cardNumber': 'invalid-field',
    '/card/cvv': 'invalid-field',
    '/recipient/lastName': 'missing-field',
    '/recipient/phone': 'missing-field',
  })
  expect(JSON.stringify(body)).not.toContain('424242')
})

test('404 item-not-found: an unknown item; 422 restaurant-closed: a closed restaurant', async () => {
  const wrongItem = await sendOrder({
    ...(await anOrder(seedRestaurants.aurora)),
    items: [{ apiKey: 'nothing' }],
  })
  expect(wrongItem).toMatchObject({
    status: 404,
    body: { code: 'item-not-found', errors: [{ pointer: '/items/0/apiKey' }] },
  })
  const closed = await sendOrder(await anOrder(seedRestaurants.closed))
  expect(closed).toMatchObject({ status: 422, body: { code: 'restaurant-closed' } })
})

/** Sends an order for delivery by card of a new user, so that the ledger can be searched by user. */
async function cardOrderOfNewUser(restaurantApiKey: string, cardNumber?: string) {
  const user = await register()
  const order = {
    ...(await anOrder(restaurantApiKey)),
    items: await enoughItems(restaurantApiKey),
    method: 'delivery',
    address: home,
    tip: 3.5,
    payment: 'card',
    card: card(cardNumber),
    recipient: { apiKey: user.apiKey },
  }
  const { body } = await post<Order>('validate-order', order)
  return { user, order, total: cents(body.total) }
}

/** Returns the effects at the processor for the orders of a user, including orders that no client sees. */
async function effectsOf({ apiKey }: User): Promise<string[]> {
  const { rows } = await withClient(ownStack().urls.postgres, (client) =>
    client.query<{ api_key: string }>('select api_key from orders.orders where recipient_api_key = $1', [
      apiKey,
    ]),
  )
  const placed = new Set(rows.map((row) => row.api_key))
  return ledger()
    .filter(({ reference }) => placed.has(reference))
    .map(({ kind, outcome }) => `${kind} ${outcome}`)
}

async function expectNothingSaved({ apiKey }: User) {
  expect((await get<Order[]>(`user/${apiKey}/orders`)).body).toEqual([])
  expect((await get<User>(`user/${apiKey}`)).body).toMatchObject({ creditCards: [], savedAddresses: [] })
}

/** Returns enough of the most expensive plain item for any delivery minimum. */
async function enoughItems(restaurantApiKey: string): Promise<{ apiKey: string }[]> {
  const [item] = await plainItems(restaurantApiKey)
  return Array.from({ length: 4 }, () => ({ apiKey: item!.apiKey }))
}

test.each(['validate-only=true', 'validateOnly=1', 'validate_only=Yes'])(
  '400 names validate-order, and no order is placed, with %s',
  async (query) => {
    const idempotencyKey = crypto.randomUUID()
    const order = await anOrder(seedRestaurants.aurora)
    const headers = { 'idempotency-key': idempotencyKey }
    expect(await post(`send-order?${query}`, order, { headers })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid-field',
        errors: [
          { pointer: 'query/validate-only', detail: expect.stringContaining('validate-order') as string },
        ],
      },
    })
    expect((await get(`order-by-key/${idempotencyKey}`)).status).toBe(404)
  },
)

test.each(['validate-only=false', 'validate-only=', 'utm_source=app&debug=1'])(
  '200: an order is placed with %s',
  async (query) => {
    const { status } = await post(`send-order?${query}`, await anOrder(seedRestaurants.aurora))
    expect(status).toBe(200)
  },
)
