import type { AccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { operator } from './client.ts'

test('the list of operator keys has no key of a restaurant or of an application', async () => {
  const { body } = await operator<AccessKey[]>('GET', 'access-keys')
  expect(new Set(body.map(({ kind }) => kind))).toEqual(new Set(['operator']))
})
