import { figuresOf, type Summary } from '../support/load/figures.ts'
import type { Outcome } from '../support/load/loop.ts'
import type { Goal } from './tool.ts'

/** Outcomes of the same requests alone and beside a disturbance, in turns. Other load of the machine affects both. */
export type Beside = { alone: Outcome[]; disturbed: Outcome[] }

/** Runs `rounds` pairs of measurements. `measure` returns the outcome of the timed requests. */
export async function inTurns(
  rounds: number,
  measure: (round: number, isDisturbed: boolean) => Promise<Outcome>,
): Promise<Beside> {
  const beside: Beside = { alone: [], disturbed: [] }
  for (let round = 1; round <= rounds; round++) {
    beside.alone.push(await measure(round, false))
    beside.disturbed.push(await measure(round, true))
  }
  return beside
}

/** The goals: all timed requests are accepted, and they take at most `times` as long plus some ms for the machine. */
export function goalsBeside(
  { alone, disturbed }: Beside,
  { times, plusMs, quantile }: { times: number; plusMs: number; quantile: keyof Omit<Summary, 'count'> },
): Goal[] {
  const [before, during] = [figuresOf(alone, 1), figuresOf(disturbed, 1)]
  const all = before.sent + during.sent
  const accepted = before.accepted.count + during.accepted.count
  const words = ({ accepted: { p50, p99 } }: typeof before) => `p50 ${p50} ms, p99 ${p99} ms`
  return [
    [all > 0 && accepted === all, `${accepted} of ${all} accepted`],
    [
      during.accepted[quantile] <= before.accepted[quantile] * times + plusMs,
      `${quantile} at most ${times} times as long: ${words(during)}; alone ${words(before)}`,
    ],
  ]
}
