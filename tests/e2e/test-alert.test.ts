import { TestAlert } from '@platter/contracts'
import { expect, test } from 'vitest'
import { operator, expectConforms } from './client.ts'

test('a test alert returns no channels if no alert channel is configured', async () => {
  const { status, body } = await operator<{ channels: unknown[] }>('POST', 'alerts/test')
  expect([status, body.channels]).toEqual([200, []])
  expectConforms(TestAlert, body)
})
