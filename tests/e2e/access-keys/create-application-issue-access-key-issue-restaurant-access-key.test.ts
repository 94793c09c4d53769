import { expect, test } from 'vitest'
import { keyed, NOBODYS_KEY, type Options } from '../accounts.ts'
import { call, cast, get, stack, type ProblemBody } from '../client.ts'

type Issued = { id: string; accessKey: string; prefix: string; created: number } & ProblemBody

const operator = <T>(path: string, body?: unknown, options: Options = {}) =>
  call<T>(`/operatorapi/v1/${path}`, {
    method: 'POST',
    key: stack().operatorKey,
    ...(body !== undefined && { body }),
    ...options,
  })

const newApplication = async () =>
  (await operator<{ id: string }>('applications', { name: 'an app' })).body.id

test('an access key of a new application works at once', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const { status, body } = await operator<Issued>(path, { mode: 'test' })
  expect(status).toBe(200)
  expect(body.accessKey).toMatch(/^platter_test_[0-9A-Za-z]{36}$/)
  expect(body.accessKey.startsWith(body.prefix)).toBe(true)
  expect((await get('restaurant/search?limit=1', { key: body.accessKey })).status).toBe(200)
})

test('without a body, with an empty one or with null the key is a live one', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const headers = { 'content-type': 'application/json' }
  for (const body of [undefined, '', 'null', '{}']) {
    const { status, body: issued } = await operator<Issued>(path, body, { headers })
    expect(status).toBe(200)
    expect(issued.accessKey).toMatch(/^platter_live_/)
  }
})

test('Idempotency-Key: a repeated request returns the same access key, and it works', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  const first = await operator<Issued>(path, { mode: 'live' }, key)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => operator<Issued>(path, { mode: 'live' }, key)),
  )
  for (const { headers, body } of answers) {
    expect(headers.get('idempotent-replayed')).toBe('true')
    expect(JSON.stringify(body)).toBe(JSON.stringify(first.body))
  }
  expect((await get('restaurant/search?limit=1', { key: answers[0]!.body.accessKey })).status).toBe(200)
  const other = await operator<Issued>(path, { mode: 'live' }, keyed())
  expect(other.body.accessKey).not.toBe(first.body.accessKey)
})

test('Idempotency-Key: 20 at once issue one access key', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  const answers = await Promise.all(Array.from({ length: 20 }, () => operator<Issued>(path, {}, key)))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.accessKey}`)).size).toBe(1)
})

test("Idempotency-Key: a restaurant's access key is shown again, and is the restaurant's", async () => {
  const path = `restaurants/${cast.aurora}/access-keys`
  const key = keyed()
  const first = await operator<Issued>(path, { mode: 'test' }, key)
  const again = await operator<Issued>(path, { mode: 'test' }, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const answer = await get<ProblemBody>('restaurant/search?limit=1', { key: again.body.accessKey })
  expect(answer).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
})

test('Idempotency-Key: 422 idempotency-mismatch for another mode', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  await operator<Issued>(path, { mode: 'live' }, key)
  const other = await operator<Issued>(path, { mode: 'test' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
})

test('Idempotency-Key: repeated requests create one application', async () => {
  const key = keyed()
  const first = await operator<{ id: string }>('applications', { name: 'an app' }, key)
  const again = await operator<{ id: string }>('applications', { name: 'an app' }, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const other = await operator<ProblemBody>('applications', { name: 'another app' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
})

test('404 application-not-found for an unknown application, and no idempotency key is stored', async () => {
  const key = keyed()
  for (let count = 0; count < 2; count++) {
    const answer = await operator<ProblemBody>(`applications/${NOBODYS_KEY}/access-keys`, {}, key)
    expect(answer).toMatchObject({ status: 404, body: { code: 'application-not-found' } })
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
  }
})
