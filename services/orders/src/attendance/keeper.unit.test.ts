import type { CatalogAttendance } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Attended, AttendanceStore, DueWebhook, Results } from '#/store/attendance.ts'

const SECOND = 1_000
const link = {
  kind: 'webhook',
  url: 'https://kitchen.example.org',
  secret: 'whsec_x',
  reports: 'detailed',
} as const

type Call = { seen?: readonly string[]; settled?: readonly string[] | 'all'; counted?: readonly Results[] }

/** A keeper with a clock and a store that the test controls. */
function createKeeper({ pingFails = null as string | null, isPublishing = true } = {}) {
  const calls: Call[] = []
  const published: CatalogAttendance[] = []
  const lines: object[] = []
  const state = {
    now: 0,
    /** The difference of the wall clock to the monotonic clock. */
    clockStep: 0,
    isPublishing,
    isAvailable: true,
    changes: [] as Attended[],
    due: [] as DueWebhook[],
    rows: [] as Attended[],
  }
  const store: Partial<AttendanceStore> = {
    recordSightings: async (seen) => void calls.push({ seen }),
    updateAttended: async (settled) => {
      if (!state.isAvailable) throw new Error('PostgreSQL is unavailable')
      calls.push({ settled })
      return state.changes.splice(0)
    },
    addResults: async (counted) => void calls.push({ counted }),
    acquirePings: async () => state.due.splice(0),
    list: async ({ after, limit }) =>
      state.rows.filter(({ restaurantApiKey }) => restaurantApiKey > after).slice(0, limit),
  }
  const keeper = new AttendanceKeeper({
    store: store as AttendanceStore,
    bus: {
      publish: (async (_command: unknown, data: CatalogAttendance) => {
        if (!state.isPublishing) throw new Error('planted')
        published.push(data)
      }) as never,
    },
    log: { ...createLog('test', 'silent'), info: (line: object) => void lines.push(line) },
    defaultKind: 'console',
    ping: async () => pingFails,
    now: () => state.now,
    date: () => state.now + state.clockStep,
  })
  /** Sweeps every 2 s for this time, as the repeater does. */
  const sweepFor = async (ms: number) => {
    for (const end = state.now + ms; state.now < end; state.now += 2 * SECOND) await keeper.sweep()
  }
  const countSweeps = () => calls.filter(({ settled }) => settled === 'all').length
  return { keeper, calls, published, lines, state, sweepFor, countSweeps }
}

const row = (restaurantApiKey: string, isAttended: boolean): Attended => ({
  restaurantApiKey,
  isAttended,
  version: 1,
  since: 1,
})

test('sightings of a restaurant are written at most every 15 s', async () => {
  const { keeper, calls, state } = createKeeper()
  for (let second = 0; second <= 30; second++) {
    state.now = second * SECOND
    await keeper.recordSightings(['r1'])
  }
  expect(calls.filter(({ seen }) => seen)).toHaveLength(3)
})

test('a sighting after the restaurant became unattended is written at once', async () => {
  const { keeper, calls, state, sweepFor } = createKeeper()
  await sweepFor(60 * SECOND)
  await keeper.recordSightings(['r1'])
  state.changes = [row('r1', false)]
  await keeper.sweep()
  await keeper.recordSightings(['r1'])
  expect(calls.filter(({ seen }) => seen)).toHaveLength(2)
})

test('for 30 s after its start, the keeper ends no attendance and publishes no row', async () => {
  const { sweepFor, countSweeps, keeper, published } = createKeeper()
  await keeper.publishAll()
  await sweepFor(28 * SECOND)
  await keeper.publishAll()
  await sweepFor(2 * SECOND)
  expect(countSweeps()).toBe(0)
  expect(published).toEqual([])
  await sweepFor(2 * SECOND)
  expect(countSweeps()).toBe(1)
})

test('after an outage of PostgreSQL of 80 s, no restaurant becomes unattended for 30 s', async () => {
  const { keeper, sweepFor, countSweeps, state } = createKeeper()
  await sweepFor(40 * SECOND)
  const before = countSweeps()
  state.isAvailable = false
  for (const end = state.now + 80 * SECOND; state.now < end; state.now += 2 * SECOND)
    await expect(keeper.sweep()).rejects.toThrow('PostgreSQL is unavailable')
  state.isAvailable = true
  await sweepFor(30 * SECOND)
  expect(countSweeps()).toBe(before)
  await sweepFor(2 * SECOND)
  expect(countSweeps()).toBe(before + 1)
})

test('an outage of RabbitMQ of 80 s is no gap, and the next publication contains all rows', async () => {
  const { keeper, sweepFor, state, published } = createKeeper()
  await sweepFor(40 * SECOND)
  state.rows = [row('r1', false)]
  state.changes = [row('r1', false)]
  state.isPublishing = false
  await sweepFor(80 * SECOND)
  await expect(keeper.publishAll()).rejects.toThrow('planted')
  state.isPublishing = true
  await keeper.publishAll()
  expect(published).toEqual([{ rows: state.rows, othersAreAttended: false }])
})

test('a gap of more than 10 s between sweeps restarts the 30 s', async () => {
  const { sweepFor, countSweeps, state } = createKeeper()
  await sweepFor(40 * SECOND)
  const before = countSweeps()
  state.now += 12 * SECOND
  await sweepFor(30 * SECOND)
  expect(countSweeps()).toBe(before)
  await sweepFor(2 * SECOND)
  expect(countSweeps()).toBe(before + 1)
})

test('a suspension of the machine, or a forward step of its clock, restarts the 30 s', async () => {
  const { sweepFor, countSweeps, state } = createKeeper()
  await sweepFor(40 * SECOND)
  const before = countSweeps()
  // In the database, all sightings have expired.
  state.clockStep = 3_600 * SECOND
  await sweepFor(30 * SECOND)
  expect(countSweeps()).toBe(before)
  await sweepFor(2 * SECOND)
  expect(countSweeps()).toBe(before + 1)
})

test('an open event stream is a sighting of its restaurant every 15 s, until the last closes', async () => {
  const { keeper, calls, state, sweepFor } = createKeeper()
  const [one, other] = [new AbortController(), new AbortController()]
  keeper.recordSightingsWhileOpen('r1', one.signal)
  keeper.recordSightingsWhileOpen('r1', other.signal)
  await sweepFor(31 * SECOND)
  const seen = () => calls.filter((call) => call.seen?.includes('r1')).length
  expect(seen()).toBeGreaterThanOrEqual(2)
  one.abort()
  const before = seen()
  await sweepFor(16 * SECOND)
  expect(seen()).toBe(before + 1)
  other.abort()
  const last = seen()
  state.now += 15 * SECOND
  await sweepFor(31 * SECOND)
  expect(seen()).toBe(last)
})

test('flush() writes each failed delivery, and a successful one at most every 15 s', async () => {
  const { keeper, calls, state } = createKeeper()
  const counted = () => calls.flatMap((call) => call.counted ?? [])
  keeper.recordReceipt('r1', { kind: 'accepted' })
  keeper.recordReceipt('r1', { kind: 'refused', reason: 'full' })
  expect(calls).toEqual([])
  await keeper.flush()
  expect(counted()).toMatchObject([{ restaurantApiKey: 'r1', succeeded: true, failures: 0 }])
  state.now += 14 * SECOND
  keeper.recordReceipt('r1', { kind: 'accepted' })
  await keeper.flush()
  expect(counted()).toHaveLength(1)
  keeper.recordReceipt('r1', { kind: 'accepted' })
  keeper.recordReceipt('r1', { kind: 'unknown', reason: 'status 500' })
  keeper.recordReceipt('r1', { kind: 'not-reached', reason: 'refused' })
  await keeper.flush()
  expect(counted().at(-1)).toMatchObject({ restaurantApiKey: 'r1', succeeded: true, failures: 2 })
  keeper.recordReceipt('r1', { kind: 'accepted' })
  await keeper.flush()
  expect(counted().at(-1), 'a success after a failure is written at once').toMatchObject({ failures: 0 })
})

test('a failed delivery counts once: the next flush() writes nothing', async () => {
  const { keeper, calls } = createKeeper()
  keeper.recordReceipt('r1', { kind: 'unknown', reason: 'status 500' })
  await keeper.flush()
  await keeper.flush()
  expect(calls.filter(({ counted }) => counted)).toHaveLength(1)
})

test.each([
  [null, { restaurantApiKey: 'r1', succeeded: true, failures: 0 }],
  ['status 500', { restaurantApiKey: 'r1', succeeded: false, failures: 1 }],
])('a ping counts as a delivery (failure: %s)', async (pingFails, result) => {
  const { keeper, calls, state } = createKeeper({ pingFails })
  state.due = [{ restaurantApiKey: 'r1', link }]
  await keeper.pingDue()
  expect(calls).toMatchObject([{ counted: [result] }, { settled: ['r1'] }])
})

test('the log names why a webhook became unattended', async () => {
  const { keeper, lines, state } = createKeeper({ pingFails: 'status 401' })
  state.due = [{ restaurantApiKey: 'r1', link }]
  state.changes = [row('r1', false)]
  await keeper.pingDue()
  state.changes = [row('r1', false)]
  keeper.recordReceipt('r1', { kind: 'not-reached', reason: 'ECONNREFUSED' })
  await keeper.flush()
  expect(lines).toEqual([
    { restaurantApiKey: 'r1', reason: 'unattended: status 401' },
    { restaurantApiKey: 'r1', reason: 'unattended: ECONNREFUSED' },
  ])
})

test('a change is published at once; a change whose publication failed follows with all rows', async () => {
  const { keeper, published, state, sweepFor } = createKeeper()
  await sweepFor(40 * SECOND)
  state.rows = [row('r1', true), row('r2', false)]
  state.changes = [row('r1', true)]
  await keeper.recordSightings(['r1'])
  expect(published).toEqual([{ rows: [row('r1', true)] }])
  state.isPublishing = false
  state.changes = [row('r2', false)]
  await keeper.sweep()
  state.isPublishing = true
  await keeper.publishAll()
  expect(published.slice(1)).toEqual([{ rows: state.rows, othersAreAttended: false }])
})

test('begin() publishes the row of the restaurant whose link was set', async () => {
  const { keeper, published } = createKeeper()
  await keeper.begin('r1', [row('r1', false)])
  expect(published).toEqual([{ rows: [row('r1', false)] }])
})

test('begin() discards the results and sightings of the earlier link', async () => {
  const { keeper, calls } = createKeeper()
  await keeper.recordSightings(['r1'])
  keeper.recordReceipt('r1', { kind: 'accepted' })
  await keeper.flush()
  keeper.recordReceipt('r1', { kind: 'not-reached', reason: 'ECONNREFUSED' })
  calls.length = 0
  await keeper.begin('r1', [row('r1', true)])
  await keeper.recordSightings(['r1'])
  await keeper.flush()
  keeper.recordReceipt('r1', { kind: 'accepted' })
  await keeper.flush()
  expect(calls.filter(({ settled }) => !settled)).toMatchObject([
    { seen: ['r1'] },
    { counted: [{ restaurantApiKey: 'r1', failures: 0 }] },
  ])
})

test('a stream that opens is a sighting at once, and a stream that has already closed is none', async () => {
  const { keeper, calls, state, sweepFor } = createKeeper()
  keeper.recordSightingsWhileOpen('r1', AbortSignal.abort())
  keeper.recordSightingsWhileOpen('r2', new AbortController().signal)
  expect(calls).toEqual([{ seen: ['r2'] }])
  state.now += 15 * SECOND
  await sweepFor(2 * SECOND)
  expect(calls.flatMap(({ seen }) => seen ?? [])).not.toContain('r1')
})

test('more pings may be due after 50', async () => {
  const { keeper, state } = createKeeper()
  for (const count of [50, 49]) {
    state.due = Array.from({ length: count }, (_, index) => ({ restaurantApiKey: `r${index}`, link }))
    expect(await keeper.pingDue()).toBe(count === 50)
  }
})

test('publishAll() publishes all rows in messages of at most 200', async () => {
  const { keeper, published, state, sweepFor } = createKeeper()
  await sweepFor(40 * SECOND)
  state.rows = Array.from({ length: 450 }, (_, index) => row(`r${1_000 + index}`, true))
  await keeper.publishAll()
  expect(published.map(({ rows }) => rows.length)).toEqual([200, 200, 50])
  expect(published.flatMap(({ rows }) => rows)).toEqual(state.rows)
})
