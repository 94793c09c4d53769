import { cents, OrdersSetRefunds } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import type { ReadDispute, ReadRefund } from '#/domain/charge-after-sale.ts'
import { chargeMirror } from '#/mirror-charges.ts'
import { setRefundsOf } from '#/send-mirrors.ts'
import type { MirrorRow } from '#/store/charge-mirrors.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'
import { memoryChargeMirrors } from '#/testing/memory-charge-mirrors.ts'

type Deps = Parameters<typeof chargeMirror>[0]

const comparison = (reads: Deps['reads'], mirrors: Partial<Deps['mirrors']>) =>
  chargeMirror({
    reads,
    mirrors: { ...memoryChargeMirrors(), ...mirrors },
    refunds: {
      known: async (keys) => new Set(keys),
      markReturned: async () => undefined,
      markWhollyRefunded: async () => undefined,
    },
    send: async () => undefined,
    authorizations: memoryAuthorizations(),
    log: createLog('payments', 'silent'),
  }).compare

/** The balance transactions of a page, one refund for each charge. */
const refundsOf = (...charges: string[]) => charges.map((charge) => ({ kind: 'refund' as const, charge }))
const unreadable = { kind: 'unknown', reason: 'TimeoutError' } as const

test.each([
  ['a complete', 'end', { kind: 'yes', balanceTransactions: [], after: null }, 10_120],
  ['an interrupted', 'beginning', unreadable, 10_000],
] as const)(
  'a comparison reads the last 10 minutes again, and continues after %s one at its %s',
  async (...row) => {
    const [, , page, position] = row
    const periods: object[] = []
    const positions: number[] = []
    const compare = comparison(
      {
        charge: () => Promise.reject(new Error('not read')),
        balanceTransactions: async (period) => (periods.push(period), page as never),
      },
      {
        acquire: async () => ({ from: 10_000, now: 10_120 }),
        release: async (until) => void positions.push(until),
      },
    )
    await compare().catch(() => undefined)
    expect(periods).toEqual([{ from: 9_400, to: 10_120, after: null }])
    expect(positions).toEqual([position])
  },
)

test.each([
  ['repeats its period within an hour', 13_599, 10_000, false],
  ['continues with the next period after an hour', 13_600, 10_600, true],
] as const)(
  'a comparison with an unreadable charge reads all others, and %s',
  async (_, now, position, isUnfinished) => {
    const read: string[] = []
    const positions: number[] = []
    const balanceTransactions = refundsOf('pi_1', 'pi_unreadable', 'pi_2')
    const compare = comparison(
      {
        async charge(id) {
          if (id === 'pi_unreadable') return unreadable
          read.push(id)
          return { kind: 'yes', charge: null }
        },
        balanceTransactions: async () => ({ kind: 'yes', balanceTransactions, after: null }) as never,
      },
      {
        acquire: async () => ({ from: 10_000, now }),
        unfinished: async () => ['pi_2', 'pi_3'],
        release: async (until) => void positions.push(until),
      },
    )
    expect(await compare()).toBe(isUnfinished)
    expect(read).toEqual(['pi_1', 'pi_2', 'pi_3'])
    expect(positions).toEqual([position])
  },
)

test('a comparison reads each refunded or disputed charge of all pages once, and no charge of a payment', async () => {
  const pages = [
    { balanceTransactions: [...refundsOf('pi_1'), { kind: 'payment', charge: 'pi_paid' }], after: 'mv_2' },
    {
      balanceTransactions: [
        { kind: 'dispute', charge: 'pi_2' },
        { kind: 'fee', charge: null },
      ],
      after: 'mv_4',
    },
    { balanceTransactions: refundsOf('pi_1', 'pi_3'), after: null },
  ]
  const cursors: (string | null)[] = []
  const read: string[] = []
  const compare = comparison(
    {
      charge: async (id) => (read.push(id), { kind: 'yes', charge: null }),
      balanceTransactions: async ({ after }) => ({ kind: 'yes', ...pages[cursors.push(after) - 1] }) as never,
    },
    { acquire: async () => ({ from: 10_000, now: 10_120 }) },
  )
  await compare()
  expect({ cursors, read }).toEqual({ cursors: [null, 'mv_2', 'mv_4'], read: ['pi_1', 'pi_2', 'pi_3'] })
})

/** A lease by a clock. Each slow call takes 18 s: a page, or a charge with its refunds and disputes, at the processor's time limit. */
function leaseOfSlowCalls() {
  let ms = 0
  let until = 0
  const leases: number[] = []
  /** The times at which a slow call ended after the lease. */
  const lost: number[] = []
  return {
    leases,
    lost,
    setLease: (leaseMs: number): void => {
      until = ms + leaseMs
      leases.push(leaseMs)
    },
    slow: async <T>(result: T): Promise<T> => {
      ms += 18_000
      if (ms >= until) lost.push(ms)
      return result
    },
  }
}

test('a comparison renews its lease through slow pages and charges; after a crash the next one starts within 30 s', async () => {
  const { leases, lost, setLease, slow } = leaseOfSlowCalls()
  const balanceTransactions = refundsOf('pi_1', 'pi_2')
  const read: string[] = []
  const compare = comparison(
    {
      charge: (id) => slow((read.push(id), { kind: 'yes', charge: null })),
      balanceTransactions: ({ after }) =>
        slow({ kind: 'yes', balanceTransactions, after: after === null ? 'mv_2' : null } as never),
    },
    {
      acquire: async (leaseMs) => (setLease(leaseMs), { from: 10_000, now: 10_120 }),
      renew: async (leaseMs) => setLease(leaseMs),
      unfinished: async () => ['pi_3', 'pi_4'],
    },
  )
  await compare()
  expect({ read, lost }).toEqual({ read: ['pi_1', 'pi_2', 'pi_3', 'pi_4'], lost: [] })
  expect(Math.max(...leases)).toBeLessThanOrEqual(30_000)
})

/** Reads a charge with refunds of Platter. Those in `known` have a row. Returns the keys that are marked as failed, and the message. */
async function refreshed(refunds: ReadRefund[], known: readonly string[], disputes: ReadDispute[] = []) {
  const sent: MirrorRow[] = []
  const returned: string[] = []
  const authorizations = memoryAuthorizations()
  const row = await authorizations.findOrCreate('o1', { amount: cents(1_000), token: 't' })
  await authorizations.move(row, { state: 'captured', processorId: 'pi_1' })
  const charge = { id: 'pi_1', reference: 'o1', refunds, disputes }
  await chargeMirror({
    reads: {
      charge: async () => ({ kind: 'yes', charge }),
      balanceTransactions: () => Promise.reject(new Error('not compared')),
    },
    mirrors: memoryChargeMirrors(),
    refunds: {
      known: async (keys) => new Set(keys.filter((key) => known.includes(key))),
      markReturned: async (keys) => void returned.push(...keys),
      markWhollyRefunded: async () => undefined,
    },
    send: async (mirror) => void sent.push(mirror),
    authorizations,
    log: createLog('payments', 'silent'),
  }).refresh('pi_1')
  return { returned, message: setRefundsOf(sent[0]!) }
}

test.each(['done', 'failed'] as const)(
  'a %s refund of Platter without a row, as of a release or from after a backup, is sent as made at the processor',
  async (state) => {
    const refundOf = (key: string, amount: number): ReadRefund => ({
      id: `re_${key}`,
      key,
      amount: cents(amount),
      state,
      at: 1_700_000_000,
    })
    const refunds = [refundOf('f1', 300), refundOf('o1:refund:1', 75)]
    const failed = state === 'failed' ? ['f1'] : []
    const { returned, message } = await refreshed(refunds, ['f1'])
    expect(returned).toEqual(failed)
    expect(OrdersSetRefunds.data.parse(message)).toMatchObject({
      refunds: [{ id: 're_o1:refund:1', amount: 75, state: state.toUpperCase() }],
      failed,
    })
  },
)

test('an open dispute is sent with what an earlier one has lost', async () => {
  const dispute = { id: 'dp_1', reason: 'fraudulent', at: 1_700_000_000, respondBy: null }
  const { message } = await refreshed(
    [],
    [],
    [
      { ...dispute, state: 'lost', amount: cents(300) },
      { ...dispute, id: 'dp_2', state: 'open', amount: cents(200) },
    ],
  )
  expect(OrdersSetRefunds.data.parse(message).dispute).toMatchObject({
    state: 'OPEN',
    amount: 200,
    lost: 300,
  })
})
