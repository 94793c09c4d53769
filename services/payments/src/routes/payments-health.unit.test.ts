import { expect, test } from 'vitest'
import { paymentsHealth } from '#/routes/payments-health.ts'

const reads = {
  kind: 'stripe' as const,
  test: true,
  database: async () => ({ at: 1, migration: '0001_create', missingIndexes: [] }),
  queues: async () => [],
  events: { lastHandled: async () => 1_700_000_000 },
  limits: { isShared: async () => false },
  now: () => 1_800_000_000_000,
}
const healthOf = async (list: () => Promise<unknown>) =>
  paymentsHealth({ ...reads, processor: { list: list as never } })({} as never)

test('reports the charges of the last day, the last event, and whether Redis is available', async () => {
  const requests: unknown[] = []
  const list = async (period?: unknown) => {
    requests.push(period)
    return { kind: 'yes', charges: [{}, {}], after: null }
  }
  expect(await healthOf(list)).toMatchObject({
    processor: {
      kind: 'stripe',
      test: true,
      reachable: true,
      reason: null,
      lastEvent: 1_700_000_000,
      charges: 2,
    },
    redis: false,
  })
  expect(requests).toEqual([{ from: 1_799_913_600, to: 1_800_000_000, after: null }])
})

test.each([
  ['refuses the request', { kind: 'no', code: 'invalid_api_key', declineCode: '' }, 'invalid_api_key'],
  ['is unavailable', { kind: 'unknown', reason: 'ECONNREFUSED' }, 'ECONNREFUSED'],
])('a processor that %s is reported as not reachable, with its reason', async (_, result, reason) => {
  expect(await healthOf(async () => result)).toMatchObject({ processor: { reachable: false, reason } })
})
