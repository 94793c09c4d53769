import { expect, test } from 'vitest'
import { keyed } from './accounts.ts'
import { operator, type ProblemBody } from './client.ts'

test('Idempotency-Key: a repeated request returns the same application; 422 for another name', async () => {
  const key = keyed()
  const first = await operator<{ id: string }>('POST', 'applications', { name: 'an app' }, key)
  const again = await operator<{ id: string }>('POST', 'applications', { name: 'an app' }, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const other = await operator<ProblemBody>('POST', 'applications', { name: 'another app' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
})
