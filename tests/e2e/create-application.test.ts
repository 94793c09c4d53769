import { expect, test } from 'vitest'
import { operatorPost } from './access-keys.ts'
import { keyed } from './accounts.ts'
import type { ProblemBody } from './client.ts'

test('Idempotency-Key: a repeated request returns the same application; 422 for another name', async () => {
  const key = keyed()
  const first = await operatorPost<{ id: string }>('applications', { name: 'an app' }, key)
  const again = await operatorPost<{ id: string }>('applications', { name: 'an app' }, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
  const other = await operatorPost<ProblemBody>('applications', { name: 'another app' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-mismatch' } })
})
