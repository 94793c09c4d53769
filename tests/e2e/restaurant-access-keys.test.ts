import type { AccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { issueKey } from './access-keys.ts'
import { seedRestaurants, operator } from './client.ts'

test("the list of a restaurant's access keys has an issued key, and only restaurant keys", async () => {
  const path = `restaurants/${seedRestaurants.slow}/access-keys`
  const { id } = await issueKey(path)
  const { body } = await operator<AccessKey[]>('GET', path)
  expect(body.map((key) => key.id)).toContain(id)
  expect(new Set(body.map(({ kind }) => kind))).toEqual(new Set(['restaurant']))
})
