import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import type { ReadRefund } from '#/domain/charge-after-sale.ts'
import { chargeMirror } from '#/mirror-charges.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'
import { memoryChargeMirrors } from '#/testing/memory-charge-mirrors.ts'

const part = { id: 're_1', key: 'f1', amount: cents(300), state: 'done', at: 1 } as const
const rest = { id: 're_2', key: null, amount: cents(700), state: 'done', at: 2 } as const

const ignore = () => undefined

/** Cancels an order whose refunds are `before`, and returns the error lines after its refunds have become `after`. */
async function errorsAfter(before: readonly ReadRefund[], after: readonly ReadRefund[]) {
  const authorizations = memoryAuthorizations()
  const sent = await authorizations.findOrCreate('o1', { amount: cents(1_000), token: 't' })
  const captured = await authorizations.move(sent, { state: 'captured', processorId: 'pi_1' })
  await authorizations.requestRelease('o1')
  await authorizations.move(captured, { state: 'refunded', processorId: 'pi_1' })
  let refunds = before
  const charge = async () => ({
    kind: 'yes' as const,
    charge: { id: 'pi_1', reference: 'o1', captured: cents(1_000), refunds: [...refunds], disputes: [] },
  })
  const errors: string[] = []
  const { refresh } = chargeMirror({
    reads: { charge, movements: () => Promise.reject(new Error('not compared')) },
    mirrors: memoryChargeMirrors(),
    refunds: { markReturned: async () => undefined },
    send: async () => undefined,
    authorizations,
    log: {
      error: (_, message) => errors.push(message),
      warn: ignore,
      info: ignore,
      debug: ignore,
      fatal: ignore,
      flush: ignore,
    },
  })
  await refresh('pi_1')
  expect(errors).toEqual([])
  refunds = after
  await refresh('pi_1')
  await refresh('pi_1')
  return errors
}

const failed = ['a refund of a cancelled order failed; the customer did not get everything back']

test('a refund that fails after the release of its charge is reported to operators once', async () => {
  expect(await errorsAfter([part, rest], [part, { ...rest, state: 'failed' }])).toEqual(failed)
  expect(await errorsAfter([part, rest], [{ ...part, state: 'failed' }, rest])).toEqual(failed)
})

test('a refund that another one has replaced is not reported', async () => {
  const replaced = { ...part, state: 'failed' } as const
  const whole = { ...rest, amount: cents(1_000) }
  expect(await errorsAfter([whole], [replaced, whole])).toEqual([])
})

test.each([
  ['a complete', 'end', { kind: 'yes', movements: [], after: null }, 10_120],
  ['an interrupted', 'beginning', { kind: 'unknown', reason: 'TimeoutError' }, 10_000],
] as const)(
  'a comparison reads the last 10 minutes again, and continues after %s one at its %s',
  async (...row) => {
    const [, , page, position] = row
    const periods: object[] = []
    const positions: number[] = []
    const { compare } = chargeMirror({
      reads: {
        charge: () => Promise.reject(new Error('not read')),
        movements: async (period) => (periods.push(period), page as never),
      },
      mirrors: {
        ...memoryChargeMirrors(),
        acquire: async () => ({ from: 10_000, now: 10_120 }),
        release: async (until) => void positions.push(until),
      },
      refunds: { markReturned: async () => undefined },
      send: async () => undefined,
      authorizations: memoryAuthorizations(),
      log: createLog('payments', 'silent'),
    })
    await compare().catch(() => undefined)
    expect(periods).toEqual([{ from: 9_400, to: 10_120, after: null }])
    expect(positions).toEqual([position])
  },
)

/** A lease by a clock. Each slow call takes 18 s: a page, or a charge with its refunds and disputes, at the processor's time limit. */
function leaseOfSlowCalls() {
  let ms = 0
  let until = 0
  const held: number[] = []
  return {
    held,
    hold: (leaseMs: number): void => {
      until = ms + leaseMs
      held.push(leaseMs)
    },
    slow: async <T>(result: T): Promise<T> => {
      ms += 18_000
      expect(ms).toBeLessThan(until)
      return result
    },
  }
}

test('a comparison holds its lease through slow pages and charges; after a crash the next one starts within 30 s', async () => {
  const { held, hold, slow } = leaseOfSlowCalls()
  const movements = ['pi_1', 'pi_2'].map((charge) => ({ kind: 'refund' as const, charge }))
  const read: string[] = []
  const { compare } = chargeMirror({
    reads: {
      charge: (id) => slow((read.push(id), { kind: 'yes', charge: null })),
      movements: ({ after }) =>
        slow({ kind: 'yes', movements, after: after === null ? 'mv_2' : null } as never),
    },
    mirrors: {
      ...memoryChargeMirrors(),
      acquire: async (leaseMs) => (hold(leaseMs), { from: 10_000, now: 10_120 }),
      renew: async (leaseMs) => hold(leaseMs),
      unsettled: async () => ['pi_3', 'pi_4'],
    },
    refunds: { markReturned: async () => undefined },
    send: async () => undefined,
    authorizations: memoryAuthorizations(),
    log: createLog('payments', 'silent'),
  })
  await compare()
  expect(read).toEqual(['pi_1', 'pi_2', 'pi_3', 'pi_4'])
  expect(Math.max(...held)).toBeLessThanOrEqual(30_000)
})
