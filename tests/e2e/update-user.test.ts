import { describe, expect, test } from 'vitest'
import {
  BROKEN_TEXTS,
  detailsOf,
  each,
  faultsOf,
  keyed,
  UNKNOWN_API_KEY,
  PASSWORD,
  signin,
  unchangedUser,
  type Options,
} from './accounts.ts'
import { card, get, home, post, register, type ProblemBody, type User } from './client.ts'

const update = (apiKey: string, body: unknown, options: Options = {}) =>
  post<User & ProblemBody>(`update-user/${apiKey}`, body, options)

test('200: firstName, lastName or phone alone is updated, the rest stays', async () => {
  const user = await register()
  await post(`user/${user.apiKey}/add-card`, card())
  await post(`user/${user.apiKey}/add-address`, home)
  let { body: before } = await get<User>(`user/${user.apiKey}`)
  for (const change of [{ firstName: 'Marie' }, { lastName: 'Lindquist' }, { phone: '(608) 555-0199' }]) {
    const { status, body } = await update(user.apiKey, change)
    expect({ status, body }).toEqual({ status: 200, body: { ...before, ...change } })
    expect((await get(`user/${user.apiKey}`)).body).toEqual(body)
    before = body
  }
  expect((await signin(user.email, PASSWORD)).status).toBe(200)
})

test('200: a new password replaces the old one, and the response contains neither', async () => {
  const user = await register()
  const { status, body } = await update(user.apiKey, { password: 'another good password' })
  expect({ status, body }).toEqual({ status: 200, body: user })
  expect((await signin(user.email, PASSWORD)).status).toBe(401)
  expect((await signin(user.email, 'another good password')).status).toBe(200)
})

test('200: null, blank and absent fields stay unchanged, also without a body', async () => {
  const user = await register()
  const { body } = await update(user.apiKey, {
    firstName: 'Marie',
    lastName: null,
    phone: '',
    password: '',
  })
  expect(body).toEqual({ ...user, firstName: 'Marie' })
  for (const empty of ['', '{}', 'null', '{"password":null}']) {
    expect(await update(user.apiKey, empty)).toMatchObject({ status: 200, body: { firstName: 'Marie' } })
  }
  expect((await post(`update-user/${user.apiKey}`, undefined, { method: 'POST' })).body).toEqual(body)
  expect((await signin(user.email, PASSWORD)).status).toBe(200)
})

test('e-mail and apiKey cannot be changed, and unknown fields are ignored', async () => {
  const user = await register()
  const { status, body } = await update(user.apiKey, {
    email: 'other@example.org',
    apiKey: UNKNOWN_API_KEY,
    creditCards: [],
  })
  expect({ status, body }).toEqual({ status: 200, body: user })
})

describe('invalid changes', () => {
  test.each(BROKEN_TEXTS)('400 invalid-field: %s in a field changes no field', async (_, text, reason) => {
    const user = await unchangedUser()
    const fields = { firstName: text, lastName: text, phone: text, password: `${text} and more` }
    const response = await update(user.apiKey, fields)
    expect(response.status).toBe(400)
    expect(detailsOf(response)).toEqual(each(Object.keys(fields), (field) => `${field} ${reason}.`))
    expect((await get(`user/${user.apiKey}`)).body).toEqual(user)
  })

  test('400 invalid-field: blank, short, long and mistyped fields, all at once', async () => {
    const user = await unchangedUser()
    const response = await update(user.apiKey, {
      password: 'seven77',
      firstName: '  ',
      lastName: 'L'.repeat(101),
      phone: 6_085_550_142,
    })
    expect(response.status).toBe(400)
    const all = ['firstName', 'lastName', 'password', 'phone']
    expect(faultsOf(response)).toEqual(each(all, () => 'invalid-field'))
    expect((await get(`user/${user.apiKey}`)).body).toEqual(user)
  })

  test.each(['[]', '"Maria"', '17'])('400: a body of %s', async (body) => {
    expect((await update((await unchangedUser()).apiKey, body)).status).toBe(400)
  })
})

describe('Idempotency-Key', () => {
  test('a late retry replays the first response, and does not revert later changes', async () => {
    const user = await register()
    const key = keyed()
    const first = await update(user.apiKey, { firstName: 'Marie' }, key)
    await update(user.apiKey, { firstName: 'Mary' })
    const again = await update(user.apiKey, { firstName: 'Marie' }, key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect((await get<User>(`user/${user.apiKey}`)).body.firstName).toBe('Mary')
  })
})

test('422 idempotency-mismatch: another password with the same key', async () => {
  const user = await register()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  expect(
    (await post(`update-user/${user.apiKey}`, { password: 'the first new password' }, { headers })).status,
  ).toBe(200)
  expect(
    await post(`update-user/${user.apiKey}`, { password: 'another new password' }, { headers }),
  ).toMatchObject({
    status: 422,
    body: { code: 'idempotency-mismatch' },
  })
})
