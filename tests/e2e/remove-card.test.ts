import type { PaymentAction } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import {
  elsewhere,
  keyed,
  UNKNOWN_API_KEY,
  PASSWORD,
  postNothing,
  signin,
  tally,
  commonMembersOf,
  type Options,
} from './accounts.ts'
import {
  anOrder,
  card,
  cardNumbers,
  cast,
  eventually,
  get,
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

const remove = (user: User, cardApiKey: string, options: Options = {}) =>
  postNothing<CreditCard & ProblemBody>(`user/${user.apiKey}/remove-card/${cardApiKey}`, options)

const addCard = async (user: User, changes = {}) =>
  (await post<CreditCard>(`user/${user.apiKey}/add-card`, { ...card(), ...changes })).body

const cardsOf = async ({ apiKey }: User) => (await get<User>(`user/${apiKey}`)).body.creditCards

test('200: the removed card; the user keeps only the other one', async () => {
  const user = await register()
  const [kept, removed] = [await addCard(user), await addCard(user, { nickname: 'the old one' })]
  const { status, body } = await remove(user, removed.apiKey)
  expect({ status, body }).toEqual({ status: 200, body: removed })
  expect(await cardsOf(user)).toEqual([kept])
})

test('a removed card cannot pay a new order (404); an earlier order still shows it', async () => {
  const user = await register()
  const saved = await addCard(user)
  const request = {
    ...(await anOrder(cast.aurora)),
    payment: 'card',
    card: { apiKey: saved.apiKey },
    recipient: { apiKey: user.apiKey },
  }
  const { body: order } = await sendOrder(request)
  expect((await remove(user, saved.apiKey)).status).toBe(200)
  const refused = await sendOrder(request)
  expect(refused).toMatchObject({
    status: 404,
    body: { code: 'card-not-found', errors: [{ pointer: '/card/apiKey' }] },
  })
  expect((await readOrder(order.apiKey)).card).toEqual(saved)
})

describe('404 card-not-found', () => {
  test("is the same problem for a removed card, another user's and an unknown one", async () => {
    const [user, other] = [await register(), await register()]
    const [removed, foreign] = [await addCard(user), await addCard(other)]
    await remove(user, removed.apiKey)
    const absent = await remove(user, UNKNOWN_API_KEY)
    expect(absent).toMatchObject({ status: 404, body: { code: 'card-not-found' } })
    expect(commonMembersOf(await remove(user, removed.apiKey))).toEqual(commonMembersOf(absent))
    expect(commonMembersOf(await remove(user, foreign.apiKey))).toEqual(commonMembersOf(absent))
    expect(await cardsOf(other)).toEqual([foreign])
  })

  test('is the response to nine of ten concurrent removals', async () => {
    const user = await register()
    const { apiKey } = await addCard(user)
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove(user, apiKey)))
    expect(tally(responses)).toEqual({ 200: 1, 404: 9 })
  })
})

test.each([
  ['an empty body', ''],
  ['an empty object', '{}'],
  ['null', 'null'],
])('remove-card accepts %s with the content type of JSON', async (_name, body) => {
  const user = await register()
  const { apiKey } = await addCard(user)
  const headers = { 'content-type': 'application/json' }
  expect(await remove(user, apiKey, { body, headers })).toMatchObject({ status: 200, body: { apiKey } })
})

test('remove-card accepts no body with the content type of JSON, and a trailing slash', async () => {
  const user = await register()
  const { apiKey } = await addCard(user)
  const headers = { 'content-type': 'application/json' }
  expect((await remove(user, `${apiKey}/`, { headers })).body.apiKey).toBe(apiKey)
})

test('add-card fails at 20 cards (422), and succeeds after a removal', async () => {
  const user = await register()
  const [first] = await Promise.all(Array.from({ length: 20 }, () => addCard(user)))
  expect((await post(`user/${user.apiKey}/add-card`, card())).status).toBe(422)
  await remove(user, first!.apiKey)
  expect((await post(`user/${user.apiKey}/add-card`, card())).status).toBe(200)
})

test('Idempotency-Key: a repeated removal is replayed, that of an unknown card is not (404)', async () => {
  const user = await register()
  const [saved, key] = [await addCard(user), keyed()]
  const first = await remove(user, saved.apiKey, key)
  const again = await remove(user, saved.apiKey, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const absent = await remove(user, UNKNOWN_API_KEY, key)
  expect([absent.status, absent.headers.get('idempotent-replayed')]).toEqual([404, null])
})

test('Idempotency-Key: an error stores no key, and the same request may succeed later', async () => {
  const user = await register()
  const { apiKey } = await addCard(user)
  const options = { ...keyed(), ...elsewhere() }
  expect(await remove(user, apiKey, options)).toMatchObject({ status: 404, body: { code: 'user-not-found' } })
  // The sign-in gives the other application access to the user.
  await signin(user.email, PASSWORD, elsewhere())
  const { status, headers } = await remove(user, apiKey, options)
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, null])
})

test('a removed card pays a pending order before its detachment, and a refund works after it', async () => {
  const { urls } = ownStack()
  const read = async (text: string, value: string): Promise<{ token: string }[]> =>
    (await withClient(urls.postgres, (client) => client.query<{ token: string }>(text, [value]))).rows
  const user = await register()
  const { apiKey: saved } = await addCard(user, { cardNumber: cardNumbers.challenged })
  const [stored] = await read('select token from accounts.cards where api_key = $1', saved)
  const { body: order } = await post<{ apiKey: string; paymentAction: PaymentAction }>('send-order', {
    ...(await anOrder(cast.aurora)),
    payment: 'card',
    card: { apiKey: saved },
    recipient: { apiKey: user.apiKey },
    canAuthenticate: true,
  })
  expect((await remove(user, saved)).status).toBe(200)
  await fetch(order.paymentAction.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'yes' }),
  })
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
  const again = await fetch(`${urls.processor}/authorizations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ token: stored?.token, amount: 500, reference: 'after the removal' }),
  })
  expect([again.status, await again.json()]).toEqual([400, { code: 'no_such_token' }])

  const refund = { all: true, reason: 'QUALITY' }
  expect((await operator('POST', `orders/${order.apiKey}/refunds`, refund)).status).toBe(200)
  const refunded = await eventually(
    () => readOrder(order.apiKey),
    ({ paymentState }) => paymentState === 'REFUNDED',
  )
  expect(refunded.paymentState).toBe('REFUNDED')
  expect((await ledgerOf(order.apiKey)).map(({ kind }) => kind).at(-1)).toBe('refund')
})
