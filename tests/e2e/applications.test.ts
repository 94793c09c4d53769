import { expect, test } from 'vitest'
import { newApplication } from './access-keys.ts'
import { operator } from './client.ts'

test('the list contains a new application with its name', async () => {
  const id = await newApplication('a listed app')
  const { body } = await operator<{ id: string; name: string }[]>('GET', 'applications')
  expect(body).toContainEqual(expect.objectContaining({ id, name: 'a listed app' }))
})
