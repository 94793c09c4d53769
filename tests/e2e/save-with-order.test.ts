import { beforeAll, describe, expect, test } from 'vitest'
import { tally } from '../support/statistics.ts'
import { keyed } from './accounts.ts'
import {
  anOrder,
  card,
  seedRestaurants,
  eventually,
  get,
  home,
  post,
  readOrder,
  register,
  sendOrder,
  type Order,
  type ProblemBody,
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

test('concurrent orders save an equal address once', async () => {
  const user = await register()
  const order = await deliveryFor(user, { payment: 'cash', card: null })
  await Promise.all(Array.from({ length: 4 }, () => placeOrder(order)))
  expect((await readUser(user)).savedAddresses).toHaveLength(1)
})

const ADDRESSES = { name: 'address', limit: 50, list: 'savedAddresses', record: home } as const
const CARDS = { name: 'card', limit: 20, list: 'creditCards', record: card() } as const

/** The tests leave the account full. */
describe('an account with 50 addresses and 20 cards', () => {
  let user: User
  /** Repeats a request that a busy machine rejects (503), under its Idempotency-Key, as a client does. */
  const add = ({ name, record }: typeof ADDRESSES | typeof CARDS) => {
    const key = keyed()
    return eventually(
      () => post<ProblemBody>(`user/${user.apiKey}/add-${name}`, record, key),
      ({ status }) => status !== 503,
    )
  }
  const remove = ({ name }: typeof ADDRESSES | typeof CARDS, apiKey: string) =>
    post(`user/${user.apiKey}/remove-${name}/${apiKey}`, {})
  beforeAll(async () => {
    user = await register()
  })

  test.each([ADDRESSES, CARDS])(
    'add-$name: concurrent requests succeed up to $limit; another one succeeds after a removal',
    async (kind) => {
      const { limit, list } = kind
      const responses = await Promise.all(Array.from({ length: limit + 5 }, () => add(kind)))
      expect(tally(responses.map(({ status }) => status))).toEqual({ 200: limit, 422: 5 })
      expect(responses.find(({ status }) => status === 422)?.body.code).toBe('too-many-saved')
      const saved = (await readUser(user))[list]
      expect(saved).toHaveLength(limit)
      expect((await add(kind)).status).toBe(422)
      await remove(kind, saved[0]!.apiKey!)
      expect((await add(kind)).status).toBe(200)
    },
  )

  test('an order is charged, and saves nothing', async () => {
    const fresh = { card: { ...card(), expirationYear: '32' }, address: { ...home, aptNumber: 'new' } }
    const order = await placeOrder(await deliveryFor(user, fresh))
    expect(order.card).toMatchObject({ apiKey: null, lastFour: '4242' })
    expect(order.address).toMatchObject({ apiKey: null, aptNumber: 'new' })
    expect((await readOrder(order.apiKey)).paymentState).toBe('CHARGED')
    const { creditCards, savedAddresses } = await readUser(user)
    expect([creditCards.length, savedAddresses.length]).toEqual([20, 50])
  })

  test('concurrent orders save addresses only up to 50', async () => {
    for (const { apiKey } of (await readUser(user)).savedAddresses.slice(0, 2))
      await remove(ADDRESSES, apiKey!)
    const orders = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        deliveryFor(user, {
          payment: 'cash',
          card: null,
          address: { ...home, aptNumber: `suite ${at}` },
        }),
      ),
    )
    await Promise.all(orders.map(placeOrder))
    expect((await readUser(user)).savedAddresses).toHaveLength(50)
  })
})
