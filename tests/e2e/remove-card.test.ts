import { describe, expect, test } from 'vitest'
import { keyed, NOBODYS_KEY, postNothing, tally, wordsOf, type Options } from './accounts.ts'
import {
  anOrder,
  card,
  cast,
  get,
  post,
  readOrder,
  register,
  sendOrder,
  type CreditCard,
  type ProblemBody,
  type User,
} from './client.ts'

const remove = (user: User, cardApiKey: string, options: Options = {}) =>
  postNothing<CreditCard & ProblemBody>(`user/${user.apiKey}/remove-card/${cardApiKey}`, options)

const addCard = async (user: User, changes = {}) =>
  (await post<CreditCard>(`user/${user.apiKey}/add-card`, { ...card(), ...changes })).body

const cardsOf = async ({ apiKey }: User) => (await get<User>(`user/${apiKey}`)).body.creditCards

test('200: the removed card, which is no longer in the user; the others stay', async () => {
  const user = await register()
  const [kept, gone] = [await addCard(user), await addCard(user, { nickname: 'the old one' })]
  const { status, body } = await remove(user, gone.apiKey)
  expect({ status, body }).toEqual({ status: 200, body: gone })
  expect(await cardsOf(user)).toEqual([kept])
})

test('a removed card cannot pay; an earlier order still shows it', async () => {
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
  test("for a removed card, another user's and an unknown one, in the same words", async () => {
    const [user, other] = [await register(), await register()]
    const [gone, foreign] = [await addCard(user), await addCard(other)]
    await remove(user, gone.apiKey)
    const absent = await remove(user, NOBODYS_KEY)
    expect(absent).toMatchObject({ status: 404, body: { code: 'card-not-found' } })
    expect(wordsOf(await remove(user, gone.apiKey))).toEqual(wordsOf(absent))
    expect(wordsOf(await remove(user, foreign.apiKey))).toEqual(wordsOf(absent))
    expect(await cardsOf(other)).toEqual([foreign])
  })

  test('for nine of ten removals at once', async () => {
    const user = await register()
    const { apiKey } = await addCard(user)
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(user, apiKey)))
    expect(tally(answers)).toEqual({ 200: 1, 404: 9 })
  })
})

test.each([
  ['an empty body', ''],
  ['an empty object', '{}'],
  ['null', 'null'],
])('lenient: %s with the content type of JSON is no body', async (_name, body) => {
  const user = await register()
  const { apiKey } = await addCard(user)
  const headers = { 'content-type': 'application/json' }
  expect(await remove(user, apiKey, { body, headers })).toMatchObject({ status: 200, body: { apiKey } })
})

test('lenient: no body at all with the content type of JSON, and a trailing slash', async () => {
  const user = await register()
  const { apiKey } = await addCard(user)
  const headers = { 'content-type': 'application/json' }
  expect((await remove(user, `${apiKey}/`, { headers })).body.apiKey).toBe(apiKey)
})

test('after a removal another card can be saved', async () => {
  const user = await register()
  const [first] = await Promise.all(Array.from({ length: 20 }, () => addCard(user)))
  expect((await post(`user/${user.apiKey}/add-card`, card())).status).toBe(422)
  await remove(user, first!.apiKey)
  expect((await post(`user/${user.apiKey}/add-card`, card())).status).toBe(200)
})

test('Idempotency-Key: the same again replays the removal; an error stores no key', async () => {
  const user = await register()
  const [saved, key] = [await addCard(user), keyed()]
  const first = await remove(user, saved.apiKey, key)
  const again = await remove(user, saved.apiKey, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const absent = await remove(user, NOBODYS_KEY, key)
  expect([absent.status, absent.headers.get('idempotent-replayed')]).toEqual([404, null])
})
