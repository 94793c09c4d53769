import type { PaymentAction } from '@platter/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import { sendTo } from '../support/api.ts'
import {
  elsewhere,
  keyed,
  UNKNOWN_API_KEY,
  PASSWORD,
  signin,
  commonMembersOf,
  type Options,
} from './accounts.ts'
import {
  anOrder,
  card,
  cardNumbers,
  seedRestaurants,
  eventually,
  get,
  home,
  ledgerOf,
  operator,
  post,
  readOrder,
  register,
  sendOrder,
  type CreditCard,
  type ProblemBody,
  type User,
} from './client.ts'
import { plant } from './planted.ts'
import { ownStack } from './stack.ts'

type Address = User['savedAddresses'][number]
type Saved = (Address | CreditCard) & { apiKey: string }

/** What differs between the saved addresses and the saved cards of a user. */
type Kind = {
  kind: 'address' | 'card'
  /** The body of the request that saves one. */
  record: object
  /** Members of `record` with which another one is saved. */
  changes: object
  list: 'savedAddresses' | 'creditCards'
  /** The members of an order that uses a saved one. */
  usedAs: (apiKey: string) => object
}

const ADDRESS: Kind = {
  kind: 'address',
  record: home,
  changes: { aptNumber: '5' },
  list: 'savedAddresses',
  usedAs: (apiKey) => ({ method: 'delivery', address: { apiKey } }),
}
const CARD: Kind = {
  kind: 'card',
  record: card(),
  changes: { nickname: 'the old one' },
  list: 'creditCards',
  usedAs: (apiKey) => ({ payment: 'card', card: { apiKey } }),
}

const removeBy =
  ({ kind }: Kind) =>
  (user: User, apiKey: string, options: Options = {}) =>
    post<Saved & ProblemBody>(`user/${user.apiKey}/remove-${kind}/${apiKey}`, undefined, {
      method: 'POST',
      ...options,
    })

const addBy =
  ({ kind, record }: Kind) =>
  async (user: User, changes = {}) =>
    (await post<Saved>(`user/${user.apiKey}/add-${kind}`, { ...record, ...changes })).body

const listBy =
  ({ list }: Kind) =>
  async ({ apiKey }: User) =>
    (await get<User>(`user/${apiKey}`)).body[list]

describe.each([ADDRESS, CARD])('remove-$kind', (kind) => {
  const { kind: name, changes, usedAs } = kind
  const [add, remove, list] = [addBy(kind), removeBy(kind), listBy(kind)]
  let user: User
  beforeAll(async () => {
    user = await register()
  })

  test('200: the removed one; the user keeps only the other one', async () => {
    const [kept, removed] = [await add(user), await add(user, changes)]
    const { status, body } = await remove(user, removed.apiKey)
    expect({ status, body }).toEqual({ status: 200, body: removed })
    expect(await list(user)).toEqual([kept])
  })

  test('a new order cannot use a removed one (404); an earlier order still shows it', async () => {
    const saved = await add(user)
    const recipient = { apiKey: user.apiKey }
    const request = { ...(await anOrder(seedRestaurants.aurora)), ...usedAs(saved.apiKey), recipient }
    const { status, body: order } = await sendOrder(request)
    expect(status).toBe(200)
    expect((await remove(user, saved.apiKey)).status).toBe(200)
    expect(await sendOrder(request)).toMatchObject({
      status: 404,
      body: { code: `${name}-not-found`, errors: [{ pointer: `/${name}/apiKey` }] },
    })
    expect((await readOrder(order.apiKey))[name]).toMatchObject(saved)
  })

  test("404 is the same problem for a removed one, another user's and an unknown one", async () => {
    const other = await register()
    const [removed, foreign] = [await add(user), await add(other)]
    await remove(user, removed.apiKey)
    const absent = await remove(user, UNKNOWN_API_KEY)
    expect(absent).toMatchObject({ status: 404, body: { code: `${name}-not-found` } })
    expect(commonMembersOf(await remove(user, removed.apiKey))).toEqual(commonMembersOf(absent))
    expect(commonMembersOf(await remove(user, foreign.apiKey))).toEqual(commonMembersOf(absent))
    expect(await list(other)).toEqual([foreign])
  })

  test('accepts an empty body, an empty object, null or no body with the content type of JSON, and a trailing slash', async () => {
    const before = await list(user)
    const headers = { 'content-type': 'application/json' }
    for (const body of ['', '{}', 'null', undefined]) {
      const { apiKey } = await add(user)
      const options = body === undefined ? { headers } : { body, headers }
      expect(await remove(user, `${apiKey}/`, options)).toMatchObject({ status: 200, body: { apiKey } })
    }
    expect(await list(user)).toEqual(before)
  })

  test('Idempotency-Key: an error stores no key, and the same request may succeed later', async () => {
    const { apiKey } = await add(user)
    const options = { ...keyed(), ...elsewhere() }
    expect(await remove(user, apiKey, options)).toMatchObject({
      status: 404,
      body: { code: 'user-not-found' },
    })
    // The sign-in gives the other application access to the user.
    await signin(user.email, PASSWORD, elsewhere())
    const { status, headers } = await remove(user, apiKey, options)
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, null])
  })
})

test('an address that an order saved can be removed, and the order still shows it', async () => {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.aurora)),
    method: 'delivery',
    address: home,
    recipient: { apiKey: user.apiKey },
  })
  const { apiKey } = order.address!
  await expect.poll(() => listBy(ADDRESS)(user)).toHaveLength(1)
  expect((await removeBy(ADDRESS)(user, apiKey!)).body).toMatchObject({ ...home, apiKey })
  expect(await listBy(ADDRESS)(user)).toEqual([])
  expect((await readOrder(order.apiKey)).address).toMatchObject({ ...home, apiKey })
})

test('a removed card pays a pending order before its detachment, and a refund works after it', async () => {
  const { urls } = ownStack()
  const read = async (text: string, value: string): Promise<{ token: string }[]> =>
    (await withClient(urls.postgres, (client) => client.query<{ token: string }>(text, [value]))).rows
  const user = await register()
  const { apiKey: saved } = await addBy(CARD)(user, { cardNumber: cardNumbers.challenged })
  const [stored] = await read('select token from accounts.cards where api_key = $1', saved)
  const { body: order } = await post<{ apiKey: string; paymentAction: PaymentAction }>('send-order', {
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    card: { apiKey: saved },
    recipient: { apiKey: user.apiKey },
    canAuthenticate: true,
  })
  expect((await removeBy(CARD)(user, saved)).status).toBe(200)
  await sendTo(order.paymentAction.url, { body: { outcome: 'yes' } })
  const charged = await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'CHARGED',
  )
  expect(charged.paymentState).toBe('CHARGED')

  // The detachment is due an hour after the removal. The test makes it due at once.
  const detachments = 'select token from accounts.card_detachments where card_api_key = $1'
  expect(await read(detachments, saved)).toEqual([stored])
  await plant('update accounts.card_detachments set due_at = now() where card_api_key = $1', saved)
  expect(
    await eventually(
      () => read(detachments, saved),
      ({ length }) => length === 0,
    ),
  ).toEqual([])
  const again = await sendTo(`${urls.processor}/authorizations`, {
    ...keyed(),
    body: { token: stored?.token, amount: 500, reference: 'after the removal' },
  })
  expect([again.status, again.body]).toEqual([400, { code: 'no_such_token' }])

  const refund = { all: true, reason: 'QUALITY' }
  expect((await operator('POST', `orders/${order.apiKey}/refunds`, refund)).status).toBe(200)
  const refunded = await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(refunded.paymentState).toBe('REFUNDED')
  expect((await ledgerOf(order.apiKey)).map(({ kind }) => kind).at(-1)).toBe('refund')
})
