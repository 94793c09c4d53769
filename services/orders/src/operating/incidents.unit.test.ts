import { cents } from '@platter/contracts'
import { Problem } from '@platter/kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fresh, type State } from '#/domain/saga-row.ts'
import type { Deps } from '#/operating/incident-sources.ts'
import { isOfUnavailable, isOpen, readAttention, splitId, type Listed } from '#/operating/incidents.ts'
import type { Stores } from '#/store/stores.ts'

type Key = { key: string; at: number }
type Sources = Record<
  | 'payments'
  | 'disputes'
  | 'refunds'
  | 'missing'
  | 'sagas'
  | 'letters'
  | 'orders'
  | 'notices'
  | 'mismatches'
  | 'reconciliations'
  | 'channels'
  | 'restaurants',
  Key[]
>
const none: Sources = {
  payments: [],
  disputes: [],
  refunds: [],
  missing: [],
  sagas: [],
  letters: [],
  orders: [],
  notices: [],
  mismatches: [],
  reconciliations: [],
  channels: [],
  restaurants: [],
}

const context = { requestId: 'q' }
const facts = { total: cents(1_075), token: 'tok_1', userApiKey: null, newCard: null, newAddress: null }

function depsOf(
  {
    payments,
    disputes,
    refunds,
    missing,
    sagas,
    letters,
    orders,
    notices,
    mismatches,
    reconciliations,
    channels,
    restaurants,
  }: Sources,
  state: State = fresh,
): Deps {
  const incidents: Partial<Stores['incidents']> = {
    deadLetters: async () =>
      letters.map(({ key, at }) => ({
        id: key,
        at,
        command: 'payments.capture',
        orderApiKey: key,
        step: 'capture',
        reason: 'rejected',
        deaths: 3,
      })),
    overdueSagas: async () =>
      sagas.map(({ key, at }) => ({ orderApiKey: key, at, facts, state, attempt: 7 })),
    failedRefunds: async () => refunds.map(({ key, at }) => ({ orderApiKey: key, at, amount: 250 })),
    unstartedOrders: async () =>
      orders.map(({ key, at }) => ({
        orderApiKey: key,
        at,
        restaurantApiKey: 'r1',
        phone: null,
        cancelledAt: 1_800,
      })),
    unconfirmedCancellations: async () =>
      notices.map(({ key, at }) => ({
        orderApiKey: key,
        at,
        restaurantApiKey: 'r1',
        phone: '608-555-0101',
        attempts: 5,
      })),
  }
  const alerts: Deps['alerts'] = {
    mismatches: async () =>
      mismatches.map(({ key, at }) => ({
        id: key,
        at,
        orderApiKey: key,
        rule: 'charge-missing',
        detail: 'There is no charge.',
      })),
    overdueReconciliation: async () => reconciliations.map(({ key, at }) => ({ key, at, finishedAt: 3_600 })),
    undelivered: async () =>
      channels.map(({ key, at }) => ({ channel: key, at, reason: 'status 500', attempts: 4 })),
  }
  const ofPayments: Record<string, Key[]> = { unknown: payments, dispute: disputes, missing }
  return {
    incidents: incidents as Stores['incidents'],
    alerts,
    channels: [],
    payments: (async (_operation: unknown, { kind }: { kind: string }) => ({
      incidents: ofPayments[kind]?.map(({ key, at }) => ({
        orderApiKey: key,
        at,
        what: kind,
        reason: 'timeout',
        count: 2,
      })),
    })) as unknown as Deps['payments'],
    bus: {
      ask: (async () => ({
        restaurants: restaurants.map(({ key, at }) => ({
          restaurantApiKey: key,
          name: 'Ajanta',
          at,
        })),
      })) as unknown as Deps['bus']['ask'],
    },
    startWithinMs: 900_000,
  }
}

async function readAll(deps: Deps, limit: number): Promise<Listed[]> {
  const all: Listed[] = []
  for (let before: Listed['position'] | null = null; ;) {
    const page: Listed[] = await readAttention(deps, { before, limit }, context)
    all.push(...page)
    const last = page.at(-1)
    if (!last) return all
    if (all.length > 100) throw new Error('the pages do not end')
    before = last.position
  }
}

/** Many incidents of the same moment, and the same order in several sources. */
const source = fc.uniqueArray(
  fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd_e', 'z'), at: fc.integer({ min: 1, max: 3 }) }),
  { selector: ({ key }) => key },
)

test('pages of any size list every incident exactly once, newest first', async () => {
  const sources = fc.record({
    payments: source,
    disputes: source,
    refunds: source,
    missing: source,
    sagas: source,
    letters: source,
    orders: source,
    notices: source,
    mismatches: source,
    reconciliations: source,
    channels: source,
    restaurants: source,
  })
  await fc.assert(
    fc.asyncProperty(sources, fc.integer({ min: 1, max: 6 }), async (all, limit) => {
      const listed = await readAll(depsOf(all), limit)
      const expected = [
        ...all.payments.map(({ key }) => `payment_${key}`),
        ...all.disputes.map(({ key }) => `dispute_${key}`),
        ...all.sagas.map(({ key }) => `saga_${key}`),
        ...all.letters.map(({ key }) => `letter_${key}`),
        ...all.orders.map(({ key }) => `order_${key}`),
        ...all.notices.map(({ key }) => `notice_${key}`),
        ...all.mismatches.map(({ key }) => `mismatch_${key}`),
        ...all.refunds.map(({ key }) => `refund_${key}`),
        ...all.missing.map(({ key }) => `missing_${key}`),
        ...all.reconciliations.map(({ key }) => `reconciliation_${key}`),
        ...all.channels.map(({ key }) => `alert_${key}`),
        ...all.restaurants.map(({ key }) => `restaurant_${key}`),
      ]
      expect(listed.map(({ item }) => item.id).toSorted()).toEqual(expected.toSorted())
      const times = listed.map(({ position }) => position.at)
      expect(times).toEqual(times.toSorted((one, other) => other - one))
    }),
  )
})

test('isOpen finds the oldest of many incidents, and no other one', async () => {
  const refunds = Array.from({ length: 5_000 }, (_, at) => ({ key: `o${at}`, at }))
  const isRefundOpen = (id: string) => isOpen(depsOf({ ...none, refunds }), { id, source: 'refund' }, context)
  expect(await isRefundOpen('refund_o0')).toBe(true)
  expect(await isRefundOpen('refund_o5000')).toBe(false)
})

test('splitId returns the source and the key of an incident id, and null for another id', async () => {
  const one = [{ key: 'order_1', at: 1 }]
  const listed = await readAll(
    depsOf({
      payments: one,
      disputes: one,
      refunds: one,
      missing: one,
      sagas: one,
      letters: one,
      orders: one,
      notices: one,
      mismatches: one,
      reconciliations: one,
      channels: one,
      restaurants: one,
    }),
    20,
  )
  expect(listed.map(({ item }) => splitId(item.id))).toEqual(
    [
      'saga',
      'restaurant',
      'refund',
      'reconciliation',
      'payment',
      'order',
      'notice',
      'missing',
      'mismatch',
      'letter',
      'dispute',
      'alert',
    ].map((name) => ({
      source: name,
      key: 'order_1',
    })),
  )
  for (const id of ['', 'order', 'orders_1', 'x_saga_1']) expect(splitId(id)).toBeNull()
})

const refused = { code: 'card-declined', detail: 'because' } as const

test.each<[what: string, state: State]>([
  ['authorize', fresh],
  ['capture', { done: ['authorize', 'transmit'], undone: [], refusal: null }],
  ['compensate authorize', { done: ['authorize'], undone: [], refusal: refused }],
  ['end', { done: ['authorize'], undone: ['authorize'], refusal: refused }],
])('the incident of an overdue saga names its current step: %s', async (what, state) => {
  const [found] = await readAll(depsOf({ ...none, sagas: [{ key: 'o1', at: 5_000_000 }] }, state), 1)
  expect(found?.item).toMatchObject({ kind: 'overdue-saga', orderApiKey: 'o1', what, count: 7, since: 5 })
})

test('an incident of each source has its kind, its order and its reason', async () => {
  const one = [{ key: 'o1', at: 1 }]
  const listed = await readAll(
    depsOf({
      ...none,
      payments: one,
      disputes: one,
      refunds: one,
      missing: one,
      letters: one,
      orders: one,
      notices: one,
      mismatches: one,
      reconciliations: one,
      channels: one,
      restaurants: one,
    }),
    20,
  )
  expect(listed.map(({ item }) => item)).toMatchObject([
    { kind: 'restaurant-unattended', orderApiKey: null, what: 'restaurant o1', count: 0 },
    { kind: 'failed-refund', orderApiKey: 'o1', what: 'refund of 2.50', count: 0 },
    {
      kind: 'reconciliation-overdue',
      orderApiKey: null,
      what: 'daily reconciliation',
      reason: 'None has ended since 1970-01-01T01:00:00.000Z.',
    },
    { kind: 'unknown-payment', orderApiKey: 'o1', what: 'unknown', reason: 'timeout', count: 2 },
    { kind: 'order-unaccepted', orderApiKey: 'o1', what: 'restaurant r1' },
    {
      kind: 'cancellation-unconfirmed',
      orderApiKey: 'o1',
      what: 'restaurant r1',
      reason:
        'The order is cancelled, and the restaurant, which may prepare it, has not confirmed that. Telephone: 608-555-0101.',
      count: 5,
    },
    { kind: 'failed-refund', orderApiKey: 'o1', what: 'missing' },
    {
      kind: 'reconciliation-mismatch',
      orderApiKey: 'o1',
      what: 'charge-missing',
      reason: 'There is no charge.',
    },
    {
      kind: 'dead-letter',
      orderApiKey: 'o1',
      what: 'payments.capture (capture)',
      reason: 'rejected',
      count: 3,
    },
    { kind: 'open-dispute', orderApiKey: 'o1', what: 'dispute' },
    { kind: 'alert-undelivered', orderApiKey: null, what: 'o1', reason: 'status 500', count: 4 },
  ])
})

const unavailable = new Problem('service-unavailable', 'The service is not available.', {
  cause: new Error('ECONNREFUSED'),
})
const rejecting = (error: Error) => (async () => Promise.reject(error)) as never

test('lists other incidents and the missing kinds while payments and RabbitMQ are unavailable', async () => {
  const some = [
    { key: 'o1', at: 5 },
    { key: 'o2', at: 4 },
  ]
  const deps = {
    ...depsOf({ ...none, sagas: some, letters: some }),
    payments: rejecting(unavailable),
    bus: { ask: rejecting(unavailable) },
  }
  for (const limit of [1, 2, 3, 100]) {
    const listed = await readAll(deps, limit)
    expect(listed.map(({ item }) => `${item.id} ${item.what}`)).toEqual([
      'unavailable_restaurant restaurant-unattended',
      'unavailable_payment unknown-payment',
      'unavailable_missing failed-refund',
      'unavailable_dispute open-dispute',
      'saga_o1 authorize',
      'letter_o1 payments.capture (capture)',
      'saga_o2 authorize',
      'letter_o2 payments.capture (capture)',
    ])
    expect(listed[0]?.item).toMatchObject({
      kind: 'incidents-unavailable',
      reason: 'The service is not available. Reason: ECONNREFUSED',
    })
    expect(listed.filter(({ item }) => isOfUnavailable(item.id))).toEqual(listed.slice(0, 4))
  }
})

test('a failed operation makes only its own kind of incident unavailable', async () => {
  const deps = depsOf({ ...none, disputes: [{ key: 'o1', at: 5 }] })
  const payments = (async (operation: unknown, body: { kind: string }) =>
    body.kind === 'unknown'
      ? Promise.reject(unavailable)
      : deps.payments(operation as never, body as never, context)) as never
  const listed = await readAll({ ...deps, payments }, 10)
  expect(listed.map(({ item }) => item.id)).toEqual(['unavailable_payment', 'dispute_o1'])
})

test('a defect or a lost connection to the own database rejects the whole list', async () => {
  const deps = depsOf({ ...none, sagas: [{ key: 'o1', at: 5 }] })
  for (const error of [new Error('Connection terminated'), new Problem('internal-error', 'x')])
    await expect(readAll({ ...deps, payments: rejecting(error) }, 10)).rejects.toBe(error)
})
