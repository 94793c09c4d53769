import { describe, expect, test } from 'vitest'
import { tally } from '../support/statistics.ts'
import {
  BROKEN_TEXTS,
  each,
  elsewhere,
  faultsOf,
  keyed,
  newEmail,
  PASSWORD,
  person,
  signin,
  type Options,
} from './accounts.ts'
import { get, maria, post, type ProblemBody, type User } from './client.ts'

const register = (body: unknown, options: Options = {}) =>
  post<User & ProblemBody>('register-user', body, options)

test('200: the user without cards, addresses and password', async () => {
  const email = newEmail()
  const { status, body } = await register(person({ email }))
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      apiKey: body.apiKey,
      email,
      ...maria,
      savedAddresses: [],
      creditCards: [],
    },
  })
  expect(body.apiKey).toMatch(/^[0-9a-f]{48}$/)
  expect(JSON.stringify(body)).not.toContain(PASSWORD)
  expect((await get(`user/${body.apiKey}`)).body).toEqual(body)
})

test('409 email-taken: a registered e-mail address in other letter case, from any application', async () => {
  const email = newEmail('Maria')
  expect((await register(person({ email }))).status).toBe(200)
  for (const options of [{}, elsewhere()]) {
    const again = await register(person({ email: email.toUpperCase() }), options)
    expect(again).toMatchObject({ status: 409, body: { code: 'email-taken' } })
    expect(faultsOf(again)).toEqual({ '/email': 'email-taken' })
  }
})

test('four concurrent registrations of one e-mail address create one user', async () => {
  const email = newEmail('twins')
  const responses = await Promise.all(Array.from({ length: 4 }, () => register(person({ email }))))
  expect(tally(responses.map(({ status }) => status))).toEqual({ 200: 1, 409: 3 })
})

describe('invalid requests', () => {
  test('400 missing-field: all missing fields at once', async () => {
    const response = await register({})
    expect(response.status).toBe(400)
    const all = ['email', 'password', 'firstName', 'lastName', 'phone']
    expect(faultsOf(response)).toEqual(each(all, () => 'missing-field'))
  })

  test.each(BROKEN_TEXTS)('400 invalid-field: %s in any field, by pointer', async (_name, text, reason) => {
    const fields = { firstName: text, lastName: text, phone: text, password: `${text} and more` }
    const { status, body } = await register(person({ ...fields, email: `${text}@example.org` }))
    expect(status).toBe(400)
    for (const field of [...Object.keys(fields), 'email']) {
      expect(body.errors).toContainEqual({
        pointer: `/${field}`,
        code: 'invalid-field',
        detail: `${field} ${reason}.`,
      })
    }
  })

  test.each([
    ['/email', { email: 'maria' }],
    ['/email', { email: 'maria@' }],
    ['/email', { email: 'maria@example.org, sam@example.org' }],
    ['/email', { email: `${'m'.repeat(200)}@example.org` }],
    ['/password', { password: 'seven77' }],
    ['/password', { password: 'p'.repeat(129) }],
    ['/password', { password: '🍕'.repeat(7) }],
    ['/password', { password: '🍕'.repeat(129) }],
    // One of the most common passwords.
    ['/password', { password: '12345678' }],
    ['/password', { password: 'PassWord1' }],
    ['/password', { password: 12_345_678 }],
    ['/password', { password: 'a tab\tin the password' }],
    ['/firstName', { firstName: '   ' }],
    ['/firstName', { firstName: 'M'.repeat(101) }],
    ['/lastName', { lastName: ['Lindqvist'] }],
    ['/phone', { phone: '6'.repeat(31) }],
  ])('400 invalid-field at %s: %j', async (pointer, changes) => {
    const response = await register(person(changes))
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual({ [pointer]: 'invalid-field' })
    expect(JSON.stringify(response.body)).not.toContain('seven77')
  })

  test.each(['', 'null', '[]', '"maria"'])('400: a body of %j', async (body) => {
    expect((await register(body)).status).toBe(400)
  })
})

test.each([
  ['8 characters', 'Olives 8'],
  ['no digits, capitals or signs', 'olives and mozzarella'],
  ['a common password within it', 'password of mozzarella'],
])('a password may have %s', async (_, password) => {
  expect((await register(person({ password }))).status).toBe(200)
})

test.each([
  ['128 letters', 'p'.repeat(128)],
  ['128 emoji', '🍕'.repeat(128)],
])('a password may have %s, and sign-in compares it to the last character', async (_, password) => {
  const { email } = (await register(person({ password }))).body
  expect((await signin(email, password)).status).toBe(200)
  const short = Array.from(password).slice(0, -1).join('')
  expect((await signin(email, short)).status).toBe(401)
})

test('names of any script are stored unchanged, without surrounding white space', async () => {
  const names = { firstName: '  Željka 🍕 ', lastName: 'O’Neill-王' }
  const { body } = await register(person(names))
  expect(body).toMatchObject({ firstName: 'Željka 🍕', lastName: 'O’Neill-王' })
})

test('unknown fields are ignored, and a trailing slash is tolerated', async () => {
  const { status, body } = await post<User>('register-user/', person({ apiKey: 'mine', isAdmin: true }))
  expect(status).toBe(200)
  expect(body.apiKey).not.toBe('mine')
  expect(body).not.toHaveProperty('isAdmin')
})

test('429 rate-limited for the eleventh attempt with one e-mail address; a replay does not count', async () => {
  const [body, key] = [person(), keyed()]
  expect((await register(body, key)).status).toBe(200)
  for (let count = 0; count < 3; count++) expect((await register(body, key)).status).toBe(200)
  for (let count = 0; count < 9; count++) expect((await register(body)).status).toBe(409)
  const { status, headers, body: problem } = await register(body)
  expect({ status, problem }).toMatchObject({
    status: 429,
    problem: { code: 'rate-limited', retryable: true },
  })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(800)
  expect((await register(person())).status).toBe(200)
})
