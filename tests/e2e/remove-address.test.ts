import { describe, expect, test } from 'vitest'
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
  cast,
  get,
  home,
  post,
  readOrder,
  register,
  sendOrder,
  type ProblemBody,
  type User,
} from './client.ts'

type Address = User['savedAddresses'][number] & { apiKey: string }

const remove = (user: User, addressApiKey: string, options: Options = {}) =>
  postNothing<Address & ProblemBody>(`user/${user.apiKey}/remove-address/${addressApiKey}`, options)

const addAddress = async (user: User, changes = {}) =>
  (await post<Address>(`user/${user.apiKey}/add-address`, { ...home, ...changes })).body

const addressesOf = async ({ apiKey }: User) => (await get<User>(`user/${apiKey}`)).body.savedAddresses

/** Saves the maximum number of addresses of a user. On a busy machine some of 50 concurrent requests get a 503. */
async function fillAddresses(user: User): Promise<Address[]> {
  for (;;) {
    const saved = await addressesOf(user)
    if (saved.length === 50) return saved as Address[]
    await Promise.all(Array.from({ length: 50 - saved.length }, () => addAddress(user)))
  }
}

test('200: the removed address; the user keeps only the other one', async () => {
  const user = await register()
  const [kept, removed] = [await addAddress(user), await addAddress(user, { aptNumber: '5' })]
  const { status, body } = await remove(user, removed.apiKey)
  expect({ status, body }).toEqual({ status: 200, body: removed })
  expect(await addressesOf(user)).toEqual([kept])
})

test('a new order cannot use a removed address (404); an earlier order still shows it', async () => {
  const user = await register()
  const saved = await addAddress(user)
  const request = {
    ...(await anOrder(cast.aurora)),
    method: 'delivery',
    address: { apiKey: saved.apiKey },
    recipient: { apiKey: user.apiKey },
  }
  const { status, body: order } = await sendOrder(request)
  expect(status).toBe(200)
  expect((await remove(user, saved.apiKey)).status).toBe(200)
  const refused = await sendOrder(request)
  expect(refused).toMatchObject({
    status: 404,
    body: { code: 'address-not-found', errors: [{ pointer: '/address/apiKey' }] },
  })
  expect((await readOrder(order.apiKey)).address).toMatchObject({ ...home, apiKey: saved.apiKey })
})

test('an address that an order saved can be removed, and the order still shows it', async () => {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(cast.aurora)),
    method: 'delivery',
    address: home,
    recipient: { apiKey: user.apiKey },
  })
  const { apiKey } = order.address!
  await expect.poll(() => addressesOf(user)).toHaveLength(1)
  expect((await remove(user, apiKey!)).body).toMatchObject({ ...home, apiKey })
  expect(await addressesOf(user)).toEqual([])
  expect((await readOrder(order.apiKey)).address).toMatchObject({ ...home, apiKey })
})

describe('404 address-not-found', () => {
  test("is the same problem for a removed address, another user's and an unknown one", async () => {
    const [user, other] = [await register(), await register()]
    const [removed, foreign] = [await addAddress(user), await addAddress(other)]
    await remove(user, removed.apiKey)
    const absent = await remove(user, UNKNOWN_API_KEY)
    expect(absent).toMatchObject({ status: 404, body: { code: 'address-not-found' } })
    expect(commonMembersOf(await remove(user, removed.apiKey))).toEqual(commonMembersOf(absent))
    expect(commonMembersOf(await remove(user, foreign.apiKey))).toEqual(commonMembersOf(absent))
    expect(await addressesOf(other)).toEqual([foreign])
  })

  test('is the response to nine of ten concurrent removals', async () => {
    const user = await register()
    const { apiKey } = await addAddress(user)
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove(user, apiKey)))
    expect(tally(responses)).toEqual({ 200: 1, 404: 9 })
  })
})

test('remove-address accepts an empty body, or none, with the content type of JSON', async () => {
  const user = await register()
  const headers = { 'content-type': 'application/json' }
  expect((await remove(user, (await addAddress(user)).apiKey, { body: '', headers })).status).toBe(200)
  expect((await remove(user, `${(await addAddress(user)).apiKey}/`, { headers })).status).toBe(200)
  expect(await addressesOf(user)).toEqual([])
})

test('add-address fails at 50 addresses (422), and succeeds after a removal', async () => {
  const user = await register()
  const [first] = await fillAddresses(user)
  expect((await post(`user/${user.apiKey}/add-address`, home)).status).toBe(422)
  await remove(user, first!.apiKey)
  expect((await post(`user/${user.apiKey}/add-address`, home)).status).toBe(200)
})

test('Idempotency-Key: a repeated removal is replayed, that of an unknown address is not (404)', async () => {
  const user = await register()
  const [saved, key] = [await addAddress(user), keyed()]
  const first = await remove(user, saved.apiKey, key)
  const again = await remove(user, saved.apiKey, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const absent = await remove(user, UNKNOWN_API_KEY, key)
  expect([absent.status, absent.headers.get('idempotent-replayed')]).toEqual([404, null])
})

test('Idempotency-Key: an error stores no key, and the same request may succeed later', async () => {
  const user = await register()
  const { apiKey } = await addAddress(user)
  const options = { ...keyed(), ...elsewhere() }
  expect(await remove(user, apiKey, options)).toMatchObject({ status: 404, body: { code: 'user-not-found' } })
  // The sign-in gives the other application access to the user.
  await signin(user.email, PASSWORD, elsewhere())
  const { status, headers } = await remove(user, apiKey, options)
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, null])
})
