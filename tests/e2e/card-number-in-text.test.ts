import type { OrderStory, RestaurantOrder, User } from '@platter/contracts'
import { expect, test } from 'vitest'
import { newEmail, person } from './accounts.ts'
import {
  call,
  card,
  cardNumbers,
  eventually,
  get,
  home,
  operator,
  post,
  readOrder,
  register,
  sendOrder,
  type Order,
  type ProblemBody,
} from './client.ts'
import { aKitchen, menuItem } from './own-restaurant.ts'

/** This is not the number of the paying card, whose last four digits every order shows. */
const TYPED = '5555 5555 5555 4444'
const MASKED = '**** **** **** 4444'
const DASHED = '4000-0566-5566-5556'

/** Returns true if a response has any part of the typed number, in any grouping. */
const containsTypedNumber = (responses: unknown): boolean =>
  /5{12}4444|40{3}05665566/.test(JSON.stringify(responses).replaceAll(/[ -]/g, ''))

/** An order with a card number in every text field. */
const orderOf = (restaurantApiKey: string, itemApiKey: string, userApiKey: string) => ({
  restaurantApiKey,
  items: [{ apiKey: itemApiKey, comments: `pay with ${TYPED}` }],
  method: 'delivery',
  payment: 'card',
  comments: `my card: ${TYPED}, not ${DASHED}`,
  card: { ...card(), nickname: TYPED, cardholderName: `Maria ${TYPED}`, cardholderStreetAddress: TYPED },
  address: {
    ...home,
    streetAddress: '147 N Santa Fe Ave',
    aptNumber: TYPED,
    city: 'Salina',
    state: 'KS',
    zip: '67401',
  },
  recipient: { apiKey: userApiKey, firstName: DASHED, lastName: TYPED, phone: TYPED },
})

test('a card number in a text of an order is masked for the client, the restaurant and the operator', async () => {
  const item = menuItem(20)
  const [kitchen, user] = await Promise.all([aKitchen({}, [item]), register()])
  const idempotent = { headers: { 'idempotency-key': crypto.randomUUID() } }
  const request = orderOf(kitchen.apiKey, item.apiKey, user.apiKey)
  const { status, body: order } = await sendOrder(request, idempotent)
  expect(status).toBe(200)
  expect(order).toMatchObject({
    comments: `my card: ${MASKED}, not ****-****-****-5556`,
    items: [{ comments: `pay with ${MASKED}` }],
    card: { nickname: MASKED, cardholderName: `Maria ${MASKED}`, lastFour: cardNumbers.good.slice(-4) },
    address: { aptNumber: MASKED },
    recipient: { firstName: '****-****-****-5556', lastName: MASKED, phone: MASKED },
  })

  const again = await sendOrder(request, idempotent)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body.apiKey).toBe(order.apiKey)

  const saved = await eventually(
    async () => (await get<User>(`user/${user.apiKey}`)).body,
    ({ creditCards, savedAddresses }) => creditCards.length > 0 && savedAddresses.length > 0,
  )
  expect(saved).toMatchObject({
    creditCards: [{ nickname: MASKED }],
    savedAddresses: [{ aptNumber: MASKED }],
  })
  const callAsRestaurant = <T>(path: string, body?: unknown) =>
    call<T>(`/restaurantapi/v1/${path}`, { key: kitchen.key, ...(body !== undefined && { body }) })
  const { body: received } = await callAsRestaurant<RestaurantOrder>(`order/${order.apiKey}`)
  expect(received).toMatchObject({ comments: order.comments, items: [{ comments: `pay with ${MASKED}` }] })
  await callAsRestaurant(`order/${order.apiKey}/refuse`, { reason: `we do not take ${TYPED}` })
  const refused = await readOrder(order.apiKey)
  expect(refused.cancellation?.message).toContain(`we do not take ${MASKED}`)
  const { body: history } = await get<Order[]>(`user/${user.apiKey}/orders`)
  const { body: story } = await operator<OrderStory>('GET', `orders/${order.apiKey}`)
  expect(containsTypedNumber([order, again, saved, received, refused, history, story])).toBe(false)
})

test('register-user masks a card number in a name, and refuses one in the e-mail address (400)', async () => {
  const { body: user } = await post<User>('register-user', person({ lastName: TYPED }))
  expect(user.lastName).toBe(MASKED)
  const email = `${TYPED.replaceAll(' ', '')}@example.org`
  const refused = await post<ProblemBody>('register-user', person({ email }))
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/email' }] } })
  expect((await post<User>('register-user', person({ email: newEmail('4242') }))).status).toBe(200)
})
