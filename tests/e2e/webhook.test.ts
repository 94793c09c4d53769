import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RestaurantOrder } from '@platter/contracts'
import { Webhook } from 'standardwebhooks'
import { beforeEach, expect, test } from 'vitest'
import { startHttpServer } from '@platter/testkit/http-server'
import { api, call, card, eventually, ledgerOf, maria, operator, sendOrder } from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'
import { incidentsOf } from './incidents.ts'
import { plantNoticeAge } from './planted.ts'
import { setUpOwnStack } from './stack.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
const item = menuItem(12.5)

type Message = { id: string; type: string; data: RestaurantOrder }

/** The messages that the restaurant received, with verified signatures. */
const messages: Message[] = []
/** Responds to a placed order, as the restaurant. */
let respond: (response: ServerResponse) => unknown
/** The status of the response to `order.cancelled`. */
let confirmation = 204
let restaurantApiKey: string
let accessKey: string

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const headers = request.headers as Record<string, string>
  const { type, data } = new Webhook(secret).verify(body, headers) as Omit<Message, 'id'>
  if (type === 'ping') return void response.writeHead(204).end()
  messages.push({ id: headers['webhook-id'] ?? '', type, data })
  if (type === 'order.placed') respond(response)
  else response.writeHead(confirmation).end()
}

setUpOwnStack(async () => {
  const kitchen = await startHttpServer((...exchange) => void receive(...exchange))
  restaurantApiKey = await aRestaurant({ phone: '608-555-0199' }, [item])
  const url = `${kitchen.url}/orders`
  await operator('PUT', `restaurants/${restaurantApiKey}/link`, { kind: 'webhook', url, secret })
  accessKey = await api.restaurantKey(restaurantApiKey)
  return kitchen.close
})
beforeEach(() => {
  messages.length = 0
})

const order = (comments: string) => ({
  restaurantApiKey,
  items: [{ apiKey: item.apiKey }],
  method: 'pickup',
  payment: 'card',
  card: card(),
  recipient: maria,
  comments,
})

/** Each path has its own Idempotency-Key, so that a retry is a retry of the same request. */
const asKitchen = <Body>(path: string, body?: object) =>
  call<Body>(`/restaurantapi/v1/order/${path}`, {
    key: accessKey,
    headers: { 'Idempotency-Key': path },
    body,
  })
const reportOf = (apiKey: string) => asKitchen<RestaurantOrder>(`${apiKey}/status`, { status: 'PREPARING' })

const sentAs = (type: string) => messages.filter((message) => message.type === type)

test('the restaurant receives an order once, signed, with its items and comments, without the card', async () => {
  respond = (response) => response.writeHead(200).end()
  const { status, body } = await sendOrder(order('no olives'))
  expect({ status, order: body.status }).toEqual({ status: 200, order: 'AWAITING_PREPARATION' })
  expect(messages).toMatchObject([
    {
      id: `order_${body.apiKey}`,
      type: 'order.placed',
      data: {
        apiKey: body.apiKey,
        restaurantApiKey,
        items: [{ apiKey: item.apiKey, name: item.name, basePrice: 12.5, totalPrice: 12.5 }],
        comments: 'no olives',
        toCollect: 0,
      },
    },
  ])
  expect(messages[0]?.data, 'the restaurant collects no card payment').not.toHaveProperty('card')
})

// All reasons: services/orders/src/delivery/outside/webhook.unit.test.ts.
test('a 409 of the webhook refuses the order with its reason (422) and voids the authorization', async () => {
  const reason = '\u009B31mThe oven\u0000is cold\uD83C\u202E.'
  respond = (response) => response.writeHead(409).end(JSON.stringify({ reason }))
  const { status, body } = await sendOrder(order('hot'))
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'order-refused' })
  expect(body.detail).toBe('The restaurant refused the order: 31mThe oven is cold\uFFFD.')
  const [placed] = messages
  expect((await ledgerOf(placed?.data.apiKey ?? '')).map(({ kind }) => kind)).toEqual(['authorize', 'void'])
})

test('invisible control characters in comments and phone do not reach the restaurant', async () => {
  respond = (response) => response.writeHead(200).end()
  const { status } = await sendOrder({
    ...order('no \u009B31mnuts\u202E, 👩🏽‍🍳 בלי בצל'),
    recipient: { ...maria, phone: '\u202D608-555-0142\u202C' },
  })
  expect(status).toBe(200)
  expect(messages[0]?.data).toMatchObject({
    comments: 'no 31mnuts, 👩🏽‍🍳 בלי בצל',
    recipient: { phone: '608-555-0142' },
  })
})

test('a restaurant that accepted an order is notified of its cancellation by the operator', async () => {
  respond = (response) => response.writeHead(200).end()
  const { body } = await sendOrder(order('not any more'))
  await operator('POST', `orders/${body.apiKey}/cancel`, { reason: 'The street is flooded.' })
  const sent = await eventually(
    async () => sentAs('order.cancelled'),
    ({ length }) => length > 0,
  )
  expect(sent).toMatchObject([
    {
      id: `order_${body.apiKey}_cancelled`,
      data: { toCollect: 0, cancellation: { cancelledBy: 'operator' } },
    },
  ])
})

test('an unconfirmed cancellation is an incident with the telephone of the restaurant, until it is confirmed', async () => {
  respond = (response) => response.writeHead(200).end()
  confirmation = 500
  const { apiKey } = (await sendOrder(order('in the oven'))).body
  await operator('POST', `orders/${apiKey}/cancel`, { reason: 'The street is flooded.' })
  await eventually(
    async () => sentAs('order.cancelled'),
    ({ length }) => length > 0,
  )
  expect(await incidentsOf(apiKey)).toEqual([])
  await plantNoticeAge(apiKey, '121 seconds')
  expect(await incidentsOf(apiKey)).toMatchObject([
    {
      id: `notice_${apiKey}`,
      kind: 'cancellation-unconfirmed',
      what: `restaurant ${restaurantApiKey}`,
      reason: expect.stringMatching(/ Telephone: 608-555-0199\.$/) as string,
    },
  ])
  confirmation = 204
  await plantNoticeAge(apiKey, '125 seconds')
  await eventually(
    () => incidentsOf(apiKey),
    ({ length }) => length === 0,
  )
})

test('a restaurant that reads, reports or refuses an order before its response may try again, and misses nothing', async () => {
  const early: unknown[] = []
  respond = async (response) => {
    const { apiKey } = messages[0]?.data ?? { apiKey: '' }
    const read = await asKitchen<RestaurantOrder>(apiKey)
    const report = await reportOf(apiKey)
    const refusal = await asKitchen(`${apiKey}/refuse`, { reason: 'The oven is broken.' })
    early.push(read, report, refusal)
    response.writeHead(200).end()
  }
  const { body } = await sendOrder(order('early'))
  const notYet = { status: 409, body: { code: 'not-accepted-yet', retryable: true } }
  const { apiKey } = body
  expect(early).toMatchObject([{ status: 200, body: { apiKey, status: 'PROCESSING' } }, notYet, notYet])
  expect(await reportOf(apiKey)).toMatchObject({ status: 200, body: { status: 'PREPARING' } })
})

test('a restaurant that never responds receives the cancellation, and its reports get 409', async () => {
  respond = (response) => response.destroy()
  const sent = await sendOrder(order('lost response'))
  const notifications = await eventually(
    async () => sentAs('order.cancelled'),
    ({ length }) => length > 0,
  )
  const apiKey = messages[0]?.data.apiKey ?? ''
  expect(notifications).toMatchObject([
    {
      id: `order_${apiKey}_cancelled`,
      data: { apiKey, paymentState: 'VOIDED', cancellation: { reason: 'restaurant-unreachable' } },
    },
  ])
  expect(sent.status === 502 || sent.body.status === 'PROCESSING').toBe(true)
  expect(await reportOf(apiKey)).toMatchObject({ status: 409, body: { code: 'invalid-transition' } })
  const read = await asKitchen<RestaurantOrder>(apiKey)
  expect(read.body).toMatchObject({ toCollect: 0, nextStatuses: [], cancellation: { cancelledBy: 'system' } })
  expect((await ledgerOf(apiKey)).map(({ kind }) => kind)).toEqual(['authorize', 'void'])
})
