import { expect, test } from 'vitest'
import { newApplication, operatorPost, type Issued } from './access-keys.ts'
import { keyed, UNKNOWN_API_KEY } from './accounts.ts'
import { get, type ProblemBody } from './client.ts'

test('a new access key of an application is accepted immediately', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const { status, body } = await operatorPost<Issued>(path, { mode: 'test' })
  expect(status).toBe(200)
  expect(body.accessKey).toMatch(/^platter_test_[0-9A-Za-z]{36}$/)
  expect(body.accessKey.startsWith(body.prefix)).toBe(true)
  expect((await get('restaurant/search?limit=1', { key: body.accessKey })).status).toBe(200)
})

test('a request without a body, or with an empty body, null or {}, issues a live key', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const headers = { 'content-type': 'application/json' }
  for (const body of [undefined, '', 'null', '{}']) {
    const { status, body: issued } = await operatorPost<Issued>(path, body, { headers })
    expect(status).toBe(200)
    expect(issued.accessKey).toMatch(/^platter_live_/)
  }
})

test('Idempotency-Key: a repeated request returns the same access key, and it works', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  const first = await operatorPost<Issued>(path, { mode: 'live' }, key)
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => operatorPost<Issued>(path, { mode: 'live' }, key)),
  )
  for (const { headers, body } of responses) {
    expect(headers.get('idempotent-replayed')).toBe('true')
    expect(JSON.stringify(body)).toBe(JSON.stringify(first.body))
  }
  expect((await get('restaurant/search?limit=1', { key: responses[0]!.body.accessKey })).status).toBe(200)
  const other = await operatorPost<Issued>(path, { mode: 'live' }, keyed())
  expect(other.body.accessKey).not.toBe(first.body.accessKey)
})

test('Idempotency-Key: 20 concurrent requests issue one access key', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  const responses = await Promise.all(Array.from({ length: 20 }, () => operatorPost<Issued>(path, {}, key)))
  expect(new Set(responses.map(({ status, body }) => `${status} ${body.accessKey}`)).size).toBe(1)
})

test('Idempotency-Key: 422 idempotency-mismatch for another mode', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const key = keyed()
  await operatorPost<Issued>(path, { mode: 'live' }, key)
  const other = await operatorPost<Issued>(path, { mode: 'test' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
})

test('404 application-not-found for an unknown application, and no idempotency key is stored', async () => {
  const key = keyed()
  for (let count = 0; count < 2; count++) {
    const response = await operatorPost<ProblemBody>(`applications/${UNKNOWN_API_KEY}/access-keys`, {}, key)
    expect(response).toMatchObject({ status: 404, body: { code: 'application-not-found' } })
    expect(response.headers.get('idempotent-replayed')).toBeNull()
  }
})
