import { PlatformHealth } from '@platter/contracts'
import type { z } from 'zod'
import { expect, test } from 'vitest'
import { call, operator, expectConforms } from './client.ts'
import { ownStack, stack } from './stack.ts'

type Health = z.output<typeof PlatformHealth.response>
const read = async () => (await operator<Health>('GET', 'health')).body

test('200: the databases, queues, the processor and Redis are reported', async () => {
  const body = await read()
  expectConforms(PlatformHealth, body)
  expect(Math.abs((body.orders.database?.at ?? 0) - Date.now() / 1000)).toBeLessThan(30)
  expect(body.payments?.queues?.map(({ queue }) => queue.split('.v')[0]).toSorted()).toEqual(
    expect.arrayContaining(['payments.authorize', 'payments.capture', 'payments.release']),
  )
  expect(body.processor).toMatchObject({ reachable: true, reason: null })
  expect(body.redis).toBe(true)
})

test('clientAddress is the address of the client behind a trusted proxy', async () => {
  ownStack()
  const headers = { 'x-forwarded-for': '203.0.113.77' }
  const { body } = await call<Health>('/operatorapi/v1/health', { key: stack().operatorKey, headers })
  expect(body.clientAddress).toBe('203.0.113.77')
})
