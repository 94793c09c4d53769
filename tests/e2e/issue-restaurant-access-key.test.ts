import { expect, test } from 'vitest'
import type { Issued } from './access-keys.ts'
import { keyed } from './accounts.ts'
import { seedRestaurants, get, operator, type ProblemBody } from './client.ts'

test('Idempotency-Key: a repeated request returns the same key, which the public API refuses', async () => {
  const path = `restaurants/${seedRestaurants.aurora}/access-keys`
  const key = keyed()
  const first = await operator<Issued>('POST', path, { mode: 'test' }, key)
  const again = await operator<Issued>('POST', path, { mode: 'test' }, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const response = await get<ProblemBody>('restaurant/search?limit=1', { key: again.body.accessKey })
  expect(response).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
})
