import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  seedRestaurants,
  get,
  home,
  post,
  readOrder,
  register,
  sendOrder,
  type Order,
  type User,
  sagaEnded,
} from './client.ts'

type Placed = Order & { apiKey: string }

async function deliveryFor(user: Pick<User, 'apiKey'>, changes: Record<string, unknown> = {}) {
  return anOrder(seedRestaurants.aurora, {
    method: 'delivery',
    payment: 'card',
    card: card(),
    address: home,
    recipient: { apiKey: user.apiKey },
    ...changes,
  })
}

/** Sends the order and waits until its saga has finished. The save is its last step. */
async function placeOrder(order: unknown): Promise<Placed> {
  const { status, body } = await sendOrder(order)
  expect(status).toBe(200)
  await sagaEnded(body.apiKey)
  return body
}

const readUser = async ({ apiKey }: User): Promise<User> => (await get<User>(`user/${apiKey}`)).body

test('an equal card and address are not saved again; the order returns the saved apiKeys', async () => {
  const user = await register()
  const first = await placeOrder(await deliveryFor(user))
  const again = {
    card: { ...card(), cardholderName: 'MARIA  LINDQVIST', nickname: 'my card' },
    address: { ...home, streetAddress: ' 316 w washington AVE ', city: 'madison' },
  }
  const { body: validated } = await post<Order>('validate-order', await deliveryFor(user, again))
  const second = await placeOrder(await deliveryFor(user, again))
  for (const order of [validated, second]) {
    expect(order.card?.apiKey).toBe(first.card?.apiKey)
    expect(order.address?.apiKey).toBe(first.address?.apiKey)
  }
  const { creditCards, savedAddresses } = await readUser(user)
  expect(creditCards.map(({ apiKey }) => apiKey)).toEqual([first.card?.apiKey])
  expect(savedAddresses.map(({ apiKey }) => apiKey)).toEqual([first.address?.apiKey])
})

test('a card with another expiry and an address with another apartment are saved as well', async () => {
  const user = await register()
  await placeOrder(await deliveryFor(user))
  await placeOrder(
    await deliveryFor(user, {
      card: { ...card(), expirationYear: '32' },
      address: { ...home, aptNumber: '5' },
    }),
  )
  const { creditCards, savedAddresses } = await readUser(user)
  expect([creditCards.length, savedAddresses.length]).toEqual([2, 2])
})

test('the card and the address of a guest have no apiKey', async () => {
  const guest = { firstName: 'Mia', lastName: 'Berg', phone: '608-555-0143' }
  const order = await deliveryFor({ apiKey: '' }, { recipient: guest })
  for (const one of [await placeOrder(order), (await post<Order>('validate-order', order)).body])
    expect([one.card?.apiKey, one.address?.apiKey]).toEqual([null, null])
})

test('concurrent orders save an address once, and at most 50; a full account is charged, and saves nothing', async () => {
  const user = await register()
  const cash = { payment: 'cash', card: null }
  const add = async (kind: 'card' | 'address', record: object) =>
    expect((await post(`user/${user.apiKey}/add-${kind}`, record)).status).toBe(200)
  const one = await deliveryFor(user, cash)
  await Promise.all(Array.from({ length: 4 }, () => placeOrder(one)))
  expect((await readUser(user)).savedAddresses).toHaveLength(1)
  for (let count = 0; count < 47; count++) await add('address', { ...home, aptNumber: `${count}` })
  const others = await Promise.all(
    Array.from({ length: 4 }, (_, at) =>
      deliveryFor(user, { ...cash, address: { ...home, aptNumber: `suite ${at}` } }),
    ),
  )
  await Promise.all(others.map(placeOrder))
  expect((await readUser(user)).savedAddresses).toHaveLength(50)

  for (let count = 0; count < 20; count++) await add('card', card())
  const fresh = { card: { ...card(), expirationYear: '32' }, address: { ...home, aptNumber: 'new' } }
  const order = await placeOrder(await deliveryFor(user, fresh))
  expect(order.card).toMatchObject({ apiKey: null, lastFour: '4242' })
  expect(order.address).toMatchObject({ apiKey: null, aptNumber: 'new' })
  expect((await readOrder(order.apiKey)).paymentState).toBe('CHARGED')
  const { creditCards, savedAddresses } = await readUser(user)
  expect([creditCards.length, savedAddresses.length]).toEqual([20, 50])
})
