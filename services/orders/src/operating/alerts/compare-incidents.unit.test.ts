import { UnknownPayments, type Before } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { compareIncidents } from '#/operating/alerts/compare-incidents.ts'
import type { Deps as Incidents } from '#/operating/incident-sources.ts'
import type { PostgresAlerts } from '#/store/alerts.ts'
import type { PostgresScheduledRuns, Run } from '#/store/scheduled-runs.ts'

type Comparison = Parameters<PostgresAlerts['compare']>[1]
type ScheduledRuns = Pick<PostgresScheduledRuns, 'acquire' | 'renew'>

const SECOND = 1_000

/** The lease of the comparison, by a clock that the test controls. */
function createLease() {
  const clock = { now: 0 }
  const row = { version: 0, dueAt: 0 }
  const extend = ({ version }: Pick<Run, 'version'>, ms: number): void => {
    if (version !== row.version) throw new Error('another replica has stolen the lease')
    row.dueAt = clock.now + ms
  }
  const scheduledRuns: ScheduledRuns = {
    acquire: async (name, leaseMs) => {
      if (row.dueAt > clock.now) return null
      row.version += 1
      extend(row, leaseMs)
      return { name, version: row.version }
    },
    renew: async (run, leaseMs) => extend(run, leaseMs),
  }
  return { clock, scheduledRuns, extend }
}

/** Payments with this number of unknown payments. `wait` passes the time of each page. */
const paymentsWith = (count: number, wait: () => Promise<void>) =>
  (async (operation: unknown, { before, limit }: { before: Before | null; limit: number }) => {
    if (operation !== UnknownPayments) return { disputes: [], refunds: [] }
    await wait()
    const newest = before ? before.at - 1 : count
    const payments = Array.from({ length: Math.min(limit, newest) }, (_, index) => {
      const at = newest - index
      return { orderApiKey: `o${at}`, at, call: 'capture', reason: 'timeout', answers: 1 }
    })
    return { payments }
  }) as unknown as Incidents['payments']

const none = async () => []

function createComparison(payments: Incidents['payments'], lease: ReturnType<typeof createLease>) {
  const compared: Comparison[] = []
  const incidents = { overdueSagas: none, deadLetters: none, failedRefunds: none, unstartedOrders: none }
  const compare = () =>
    compareIncidents({
      incidents: incidents as Partial<Incidents['incidents']> as Incidents['incidents'],
      alerts: {
        mismatches: none,
        overdueReconciliation: none,
        undelivered: none,
        compare: async (run, found, { nextInMs }) => {
          lease.extend(run, nextInMs)
          compared.push(found)
          return []
        },
      },
      payments,
      bus: { ask: (async () => ({ restaurants: [] })) as never },
      channels: [],
      scheduledRuns: lease.scheduledRuns,
      unknownAfterMs: 60 * SECOND,
      startWithinMs: 900 * SECOND,
      log: createLog('test', 'silent'),
    })
  return { compare, compared }
}

test('no replica steals the lease of a comparison whose source needs 8 s for each of its 25 pages', async () => {
  const lease = createLease()
  const stolen: unknown[] = []
  const payments = paymentsWith(5_000, async () => {
    lease.clock.now += 8 * SECOND
    stolen.push(await lease.scheduledRuns.acquire('compare incidents', 30 * SECOND))
  })
  const { compare, compared } = createComparison(payments, lease)
  await compare()
  expect(stolen).toEqual(Array.from({ length: 25 }, () => null))
  expect(compared[0]?.find(({ source }) => source === 'payment')?.incidents).toHaveLength(5_000)
})
