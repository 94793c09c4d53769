import { expect, test } from 'vitest'
import { compare } from './compare.ts'
import { ratioTo, type Row } from './measure.ts'
import type { Report } from './report.ts'
import { runLoad } from './workers/loop.ts'

const row = (subject: string, rounds: number[]): Row => ({
  subject,
  kind: 'operation',
  about: '',
  clients: 16,
  perSecond: 1,
  p50: 1,
  p99: 1,
  failed: 0,
  failure: null,
  cpu: 1,
  byProcess: {},
  memory: {},
  rounds,
  ratio: null,
})
const report = (operation: number[], limit = [1, 1, 1]): Report => {
  const measured = row('menu', operation)
  return {
    at: '',
    commit: '',
    against: null,
    machine: { cores: 2, model: '', node: '' },
    options: { clients: [16], seconds: 1, rounds: 3 },
    idle: {},
    rows: [{ ...measured, ratio: ratioTo(measured, [row('limit', limit)]) }],
    sections: [],
  }
}
const verdict = (before: Report, after: Report) => compare(before, after).map((change) => change.verdict)

test('what disturbs an operation and its limit alike changes no ratio', () => {
  expect(verdict(report([2, 2, 2]), report([4, 8, 2], [2, 4, 1]))).toEqual(['same'])
})

test('only what is worse by more than the noise of both reports is named', () => {
  expect(verdict(report([2, 2, 2]), report([2.1, 2.1, 2.1]))).toEqual(['same'])
  expect(verdict(report([2, 2, 2]), report([2.2, 2.2, 2.2]))).toEqual(['worse'])
  expect(verdict(report([1.6, 2, 2.4]), report([2.2, 2.2, 2.2]))).toEqual(['same'])
  expect(verdict(report([2.2, 2.2, 2.2]), report([2, 2, 2]))).toEqual(['better'])
})

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('an open loop counts a latency from when a request was due, not from when there was time for it', async () => {
  const { count, p50 } = await runLoad({ clients: 0, perSecond: 100, seconds: 0.1 }, async (n) => {
    if (n === 0) block(60)
  })
  expect(count).toBe(10)
  // The fifth was due after 40 ms and could not begin before 60; four were due earlier and waited longer.
  expect(p50).toBeGreaterThanOrEqual(19)
})
