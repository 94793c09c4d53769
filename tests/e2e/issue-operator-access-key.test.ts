import { IssueOperatorAccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { issueKey, revoke } from './access-keys.ts'
import { call, get, expectConforms } from './client.ts'

test('a new operator key is accepted immediately, and is a 403 for an application operation', async () => {
  const issued = await issueKey('access-keys', { mode: 'live' })
  expectConforms(IssueOperatorAccessKey, issued)
  const { accessKey: key } = issued
  expect(key.startsWith(issued.prefix)).toBe(true)
  expect((await call('/operatorapi/v1/applications?limit=1', { key })).status).toBe(200)
  expect(await get('restaurant/search?limit=1', { key })).toMatchObject({
    status: 403,
    body: { code: 'not-allowed' },
  })
  expect((await revoke(issued.id)).status).toBe(200)
})
