import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { ARRIVED_AFTER_SECONDS, KEY_LASTS_SECONDS } from '#/domain/authorization.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import {
  isToBeLookedUp,
  outcomeOf,
  type FoundRefund,
  type RefundOutcome,
  type RefundRow,
} from '#/domain/refund.ts'

const row: RefundRow = {
  apiKey: 'f1',
  orderApiKey: 'o1',
  amount: cents(500),
  state: 'sent',
  processorId: null,
  failureCode: null,
  ageSeconds: 0,
}

test.each([
  ['a new refund', {}, false],
  ['a refund whose key the processor still has', { ageSeconds: KEY_LASTS_SECONDS }, false],
  ['a refund whose key may have expired at the processor', { ageSeconds: KEY_LASTS_SECONDS + 1 }, true],
  ['a refund that is pending at the processor', { processorId: 're_1' }, true],
])('%s (%o) needs a look-up: %s', (_, change, expected) => {
  expect(isToBeLookedUp({ ...row, ...change })).toBe(expected)
})

type Result = ProcessorResult<FoundRefund>
const found = (state: NonNullable<FoundRefund['found']>['state']): Result => ({
  kind: 'yes',
  found: { id: 're_1', state },
})
const lost = { kind: 'unknown', reason: 'TimeoutError' } as const
const none: Result = { kind: 'yes', found: null }

test.each<[string, RefundRow, Result, RefundOutcome]>([
  ['a completed refund is done', row, found('done'), { kind: 'done', id: 're_1' }],
  ['a pending refund stays pending', row, found('pending'), { kind: 'pending', id: 're_1' }],
  [
    'a refund that failed at the processor has failed',
    row,
    found('failed'),
    { kind: 'failed', code: 'refund_failed' },
  ],
  [
    'a refund that the processor refuses has failed, with its code',
    row,
    { kind: 'no', code: 'charge_already_refunded', declineCode: 'charge_already_refunded' },
    { kind: 'failed', code: 'charge_already_refunded' },
  ],
  ['a lost response is unknown, never a failure', row, lost, lost],
  [
    'a refund whose last call may still arrive is unknown',
    { ...row, ageSeconds: ARRIVED_AFTER_SECONDS },
    none,
    { kind: 'unknown', reason: 'the processor does not list the refund yet' },
  ],
  [
    'a refund that never arrived has failed',
    { ...row, ageSeconds: ARRIVED_AFTER_SECONDS + 1 },
    none,
    { kind: 'failed', code: 'never_arrived' },
  ],
  [
    'a confirmed refund that is not listed is unknown, and needs an operator',
    { ...row, processorId: 're_1' },
    none,
    { kind: 'unknown', reason: 'the processor does not list the refund', needsOperator: true },
  ],
])('%s', (_, refund, result, outcome) => {
  expect(outcomeOf(refund, result)).toEqual(outcome)
})
