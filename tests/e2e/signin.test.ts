import { describe, expect, test } from 'vitest'
import { tally } from '../support/statistics.ts'
import {
  each,
  elsewhere,
  faultsOf,
  keyed,
  newEmail,
  PASSWORD,
  person,
  signin,
  commonMembersOf,
} from './accounts.ts'
import { card, eventually, get, home, post, register, type ProblemBody, type User } from './client.ts'

const registerWithPassword = async (password: string) => {
  const body = person({ password })
  await post<User>('register-user', body)
  return body.email
}

/** Signs in with a new wrong password each time. */
const guess = (email: string) => signin(email, `guess ${crypto.randomUUID()}`)

test('200: the user with cards and addresses but no password, for an e-mail in any letter case', async () => {
  const { email, apiKey } = await register()
  await post(`user/${apiKey}/add-card`, card())
  await post(`user/${apiKey}/add-address`, home)
  const { status, body } = await signin(` ${email.toUpperCase()} `, PASSWORD)
  expect(status).toBe(200)
  expect(body).toEqual((await get(`user/${apiKey}`)).body)
  expect([body.creditCards.length, body.savedAddresses.length]).toEqual([1, 1])
  expect(JSON.stringify(body)).not.toContain(PASSWORD)
})

describe('401 invalid-credentials', () => {
  test('is the same problem for a wrong password and for an unregistered e-mail address', async () => {
    const { email } = await register()
    const wrong = await signin(email, 'not the password')
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid-credentials', errors: [] } })
    expect(commonMembersOf(await signin(newEmail(), PASSWORD))).toEqual(commonMembersOf(wrong))
    expect(commonMembersOf(await signin('unknown', PASSWORD))).toEqual(commonMembersOf(wrong))
  })

  test('is returned for passwords that register-user rejects, and for one with an added space', async () => {
    const { email } = await register()
    for (const password of ['short', 'p'.repeat(1_000), 'NUL \u0000 inside', 'half \ud83c']) {
      expect((await post('register-user', person({ password }))).status).toBe(400)
      expect((await signin(email, password)).status).toBe(401)
    }
    expect((await signin(email, `${PASSWORD} `)).status).toBe(401)
  })
})

test('a sign-in through another application gives that application access to the user', async () => {
  const { email, apiKey } = await register()
  await signin(email, 'not the password', elsewhere())
  expect((await get(`user/${apiKey}`, elsewhere())).status).toBe(404)
  const { status, body } = await signin(email, PASSWORD, elsewhere())
  expect(status).toBe(200)
  expect((await get(`user/${apiKey}`, elsewhere())).body).toEqual(body)
  expect((await signin(email, PASSWORD, elsewhere())).status).toBe(200)
  expect((await get(`user/${apiKey}`)).status).toBe(200)
})

test('a password with an accent matches in composed and in decomposed form', async () => {
  const email = await registerWithPassword('un caf\u00e9 au lait')
  expect((await signin(email, 'un cafe\u0301 au lait')).status).toBe(200)
  expect((await signin(email, 'un cafe au lait')).status).toBe(401)
})

test('surrounding spaces are a part of a password, also of one with 128 characters', async () => {
  const password = ` ${'🍕'.repeat(126)} `
  const email = await registerWithPassword(password)
  expect((await signin(email, password)).status).toBe(200)
  expect((await signin(email, password.trim())).status).toBe(401)
})

test('400: all missing fields at once; an invalid e-mail address by its pointer', async () => {
  const missing = await post<ProblemBody>('signin', {})
  expect(missing.status).toBe(400)
  expect(faultsOf(missing)).toEqual(each(['email', 'password'], () => 'missing-field'))
  expect((await post('signin', undefined, { method: 'POST' })).status).toBe(400)
  for (const email of [' ', 'maria\u0000@example.org', 'maria\ud83c@example.org', 17]) {
    const response = await post<ProblemBody>('signin', { email, password: PASSWORD })
    expect(response.status).toBe(400)
    expect(faultsOf(response)).toEqual({ '/email': 'invalid-field' })
  }
})

test('an Idempotency-Key changes nothing: a sign-in is never replayed', async () => {
  const { email } = await register()
  const key = keyed()
  expect((await signin(email, PASSWORD, key)).status).toBe(200)
  expect((await signin(email, 'not the password', key)).status).toBe(401)
  const again = await signin(email, PASSWORD, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null])
})

let limited: Promise<string> | undefined

/** Returns the e-mail address of one user, for several tests, after ten attempts. */
const limitedUser = (): Promise<string> => (limited ??= exhaustAttempts())

async function exhaustAttempts(): Promise<string> {
  // The registration also counts as an attempt.
  const { email } = await register()
  for (let count = 0; count < 9; count++) {
    // A successful sign-in neither counts nor resets the count.
    if (count % 4 === 0) expect((await signin(email, PASSWORD)).status).toBe(200)
    expect((await guess(email)).status).toBe(401)
  }
  return email
}

describe('429 rate-limited', () => {
  test('is returned after ten attempts, even for the right password, not for another account', async () => {
    const email = await limitedUser()
    const { status, headers, body } = await signin(email.toUpperCase(), PASSWORD)
    expect({ status, body }).toMatchObject({ status: 429, body: { code: 'rate-limited', retryable: true } })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(800)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900)
    expect((await signin((await register()).email, PASSWORD)).status).toBe(200)
  })

  test('is the response to 20 of 30 concurrent guesses, equal for an unregistered e-mail address', async () => {
    const unknownEmail = newEmail()
    // A single replica rejects some of 30 concurrent requests as an overload (503), which is no attempt.
    const repeatedGuess = () =>
      eventually(
        () => guess(unknownEmail),
        ({ status }) => status !== 503,
      )
    const responses = await Promise.all(Array.from({ length: 30 }, repeatedGuess))
    expect(tally(responses.map(({ status }) => status))).toEqual({ 401: 10, 429: 20 })
    const known = await guess(await limitedUser())
    expect(commonMembersOf(await guess(unknownEmail))).toEqual(commonMembersOf(known))
  })
})
