import { createLog, type Log } from '@platter/kit'
import { expect, test } from 'vitest'
import { fresh, type State } from '#/domain/saga-row.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { retrySagas } from '#/saga/retry-sagas.ts'
import type { DueSaga } from '#/store/sagas.ts'

/** Retries one due saga, and returns the lines of level `error`. */
async function linesFor(due: { isExpired: boolean; isOverdue: boolean; state?: State; changes?: boolean }) {
  const { isExpired, isOverdue, state = fresh, changes = false } = due
  const saga = { orderApiKey: 'o1', version: 0, attempt: 3, state }
  const lines: unknown[] = []
  const log = { error: (fields: object, text: string) => lines.push({ ...fields, text }) } as unknown as Log
  await retrySagas({
    sagas: {
      takeDue: async () => [
        { order: {}, saga, isExpired, isOverdue, traceparent: null } as unknown as DueSaga,
      ],
    },
    orchestrator: { apply: async () => ({ saga: changes ? { ...saga } : saga }) as never },
    log,
  })
  return lines
}

const overdue = { orderApiKey: 'o1', attempt: 3, text: 'needs attention: a saga is past its deadline' }
const refunds = [{ apiKey: 'f1', amount: 100 as never }]

test('logs an error for an overdue saga, also while a refund is pending', async () => {
  expect(await linesFor({ isExpired: true, isOverdue: true })).toEqual([overdue])
  expect(await linesFor({ isExpired: true, isOverdue: true, state: { ...fresh, refunds } })).toEqual([
    overdue,
  ])
})

test('logs no error for a saga that is not overdue, or that its expiry has changed', async () => {
  expect(await linesFor({ isExpired: false, isOverdue: false })).toEqual([])
  expect(await linesFor({ isExpired: true, isOverdue: false, state: { ...fresh, refunds } })).toEqual([])
  expect(await linesFor({ isExpired: true, isOverdue: true, changes: true })).toEqual([])
})

test('a saga past its deadline expires, any other due one is retried; each from the row that was read', async () => {
  const applied: Parameters<Orchestrator['apply']>[] = []
  const due = ['o1', 'o2'].map((orderApiKey) => {
    const saga = { orderApiKey, version: 0, attempt: 3, state: fresh }
    return { order: {}, saga, isExpired: orderApiKey === 'o1', isOverdue: false } as unknown as DueSaga
  })
  const isMoreDue = await retrySagas({
    sagas: { takeDue: async () => due },
    orchestrator: { apply: async (...call) => (applied.push(call), null) },
    log: createLog('test', 'silent'),
  })
  expect(isMoreDue).toBe(false)
  expect(applied).toEqual([
    ['o1', { kind: 'expired' }, { order: due[0]?.order, saga: due[0]?.saga }],
    ['o2', { kind: 'retried' }, { order: due[1]?.order, saga: due[1]?.saga }],
  ])
})
