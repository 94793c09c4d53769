import { expect, test } from 'vitest'
import { newApplication, type Issued } from './access-keys.ts'
import { keyed, UNKNOWN_API_KEY } from './accounts.ts'
import { get, operator, type ProblemBody } from './client.ts'

test('a new access key of an application is accepted immediately', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const { status, body } = await operator<Issued>('POST', path, { mode: 'test' })
  expect(status).toBe(200)
  expect(body.accessKey).toMatch(/^platter_test_[0-9A-Za-z]{36}$/)
  expect(body.accessKey.startsWith(body.prefix)).toBe(true)
  expect((await get('restaurant/search?limit=1', { key: body.accessKey })).status).toBe(200)
})

test('a request without a body, or with an empty body, null or {}, issues a live key', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const headers = { 'content-type': 'application/json' }
  for (const body of [undefined, '', 'null', '{}']) {
    const { status, body: issued } = await operator<Issued>('POST', path, body, { headers })
    expect(status).toBe(200)
    expect(issued.accessKey).toMatch(/^platter_live_/)
  }
})

test('404 application-not-found for an unknown application, and no idempotency key is stored', async () => {
  const key = keyed()
  for (let count = 0; count < 2; count++) {
    const response = await operator<ProblemBody>(
      'POST',
      `applications/${UNKNOWN_API_KEY}/access-keys`,
      {},
      key,
    )
    expect(response).toMatchObject({ status: 404, body: { code: 'application-not-found' } })
    expect(response.headers.get('idempotent-replayed')).toBeNull()
  }
})
