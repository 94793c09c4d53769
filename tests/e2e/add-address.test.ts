import { describe, expect, test } from 'vitest'
import { BROKEN_TEXTS, detailsOf, each, faultsOf, unchangedUser, type Options } from './accounts.ts'
import { get, home, post, register, type ProblemBody, type User } from './client.ts'

type Address = User['savedAddresses'][number]

const add = (userApiKey: string, body: unknown, options: Options = {}) =>
  post<Address & ProblemBody>(`user/${userApiKey}/add-address`, body, options)

const addressesOf = async ({ apiKey }: User) => (await get<User>(`user/${apiKey}`)).body.savedAddresses

test('200: the saved address with latitude and longitude, which the user record then has', async () => {
  const user = await register()
  const { status, body } = await add(user.apiKey, home)
  expect({ status, body }).toEqual({
    status: 200,
    body: { apiKey: body.apiKey, ...home, latitude: 43.0775, longitude: -89.3831 },
  })
  expect(body.apiKey).toMatch(/^[0-9a-f]{48}$/)
  expect(await addressesOf(user)).toEqual([body])
})

test('add-address accepts a missing or null aptNumber, ignores unknown fields and trims texts', async () => {
  const user = await register()
  const { aptNumber: _, ...house } = home
  const { body } = await add(user.apiKey, { ...house, city: ' Madison ', apiKey: 'mine', latitude: 1 })
  expect(body).toMatchObject({ ...house, aptNumber: null, latitude: 43.0775 })
  expect((await add(user.apiKey, { ...house, aptNumber: null })).body.aptNumber).toBeNull()
})

describe('400', () => {
  test('missing-field for streetAddress, or for city, state and zip that it does not complete', async () => {
    const empty = await add((await unchangedUser()).apiKey, {})
    expect([empty.status, faultsOf(empty)]).toEqual([400, { '/streetAddress': 'missing-field' }])
    const response = await add((await unchangedUser()).apiKey, { streetAddress: 'somewhere' })
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual(each(['city', 'state', 'zip'], () => 'missing-field'))
  })

  test.each([
    ['/streetAddress', { streetAddress: ' ' }],
    ['/streetAddress', { streetAddress: 's'.repeat(201) }],
    ['/aptNumber', { aptNumber: 'a'.repeat(51) }],
    ['/aptNumber', { aptNumber: [4] }],
    ['/city', { city: 'c'.repeat(101) }],
    ['/state', { state: ['WI'] }],
    ['/zip', { zip: 53_703.5 }],
    ['/zip', { zip: '5'.repeat(21) }],
  ])('invalid-field at %s for %j', async (pointer, changes) => {
    const response = await add((await unchangedUser()).apiKey, { ...home, ...changes })
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual({ [pointer]: 'invalid-field' })
  })

  test.each(BROKEN_TEXTS)('%s is refused with one error for each field', async (_name, text, message) => {
    const texts = Object.fromEntries(Object.keys(home).map((field) => [field, text]))
    const response = await add((await unchangedUser()).apiKey, texts)
    expect(response.status).toBe(400)
    expect(detailsOf(response)).toEqual(each(Object.keys(home), (field) => `${field} ${message}.`))
  })
})
