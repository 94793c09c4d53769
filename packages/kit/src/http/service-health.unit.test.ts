import { expect, test, vi } from 'vitest'
import { orNull, readServiceHealth } from '#/http/service-health.ts'

const queues = async () => Promise.reject(new Error('no connection'))
const database = { at: 1, migration: '0001_create', missingIndexes: [] }

test('reports null for a part whose server fails, and the value of the other part', async () => {
  expect(await readServiceHealth({ database: async () => database, queues })).toEqual({
    database,
    queues: null,
  })
})

function disconnected(): never {
  throw new Error('connect ECONNREFUSED')
}

test('reports null for a part whose read throws instead of rejecting, as without a connection to RabbitMQ', async () => {
  expect(await readServiceHealth({ database: async () => database, queues: disconnected })).toEqual({
    database,
    queues: null,
  })
})

test('reports null for a part that does not respond in time', async () => {
  vi.useFakeTimers()
  const late = orNull(async () => new Promise(() => undefined), 2_000)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await late).toBeNull()
  vi.useRealTimers()
})
