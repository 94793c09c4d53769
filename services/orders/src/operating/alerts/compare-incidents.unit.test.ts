import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { compareIncidents } from '#/operating/alerts/compare-incidents.ts'
import type { Deps as Incidents } from '#/operating/incident-sources.ts'
import type { PostgresAlerts } from '#/store/alerts.ts'

type Comparison = Parameters<PostgresAlerts['compare']>[1]
/** Payments with this number of unknown payments. */
const paymentsWith = (count: number) =>
  (async (_operation: unknown, { kind }: { kind: string }) => ({
    incidents: Array.from({ length: kind === 'unknown' ? count : 0 }, (_, index) => ({
      orderApiKey: `o${index}`,
      at: count - index,
      what: 'capture',
      reason: 'timeout',
      count: 1,
    })),
  })) as unknown as Incidents['payments']

const none = async () => []

function createComparison(payments: Incidents['payments']) {
  const compared: Comparison[] = []
  const incidents = { overdueSagas: none, deadLetters: none, failedRefunds: none, unstartedOrders: none }
  const compare = () =>
    compareIncidents({
      incidents: incidents as Partial<Incidents['incidents']> as Incidents['incidents'],
      alerts: {
        mismatches: none,
        overdueReconciliation: none,
        undelivered: none,
        compare: async (_run, found) => {
          compared.push(found)
          return []
        },
      },
      payments,
      bus: { ask: (async () => ({ restaurants: [] })) as never },
      channels: [],
      scheduledRuns: { acquire: async (name) => ({ name, version: 1 }) },
      startWithinMs: 900_000,
      log: createLog('test', 'silent'),
    })
  return { compare, compared }
}

test.each([
  [4_999, true],
  [5_000, false],
])('with %i incidents of a source the comparison is complete: %s', async (count, isComplete) => {
  const { compare, compared } = createComparison(paymentsWith(count))
  await compare()
  const found = compared[0]?.find(({ source }) => source === 'payment')
  expect(found).toMatchObject({ isComplete })
  expect(found?.incidents).toHaveLength(count)
})
