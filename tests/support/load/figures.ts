import { quantile } from '../statistics.ts'
import type { Outcome } from './loop.ts'

/** Times in ms. */
export type Summary = { count: number; p50: number; p99: number }

/** The figures of one source. */
export type Figures = ReturnType<typeof figuresOf>

const REFUSALS = [429, 503]

/** The times of the responses with these statuses, in ms. */
export const tookOf = ({ byStatus }: Outcome, ...statuses: readonly number[]): readonly number[] =>
  statuses.flatMap((status) => byStatus[status] ?? [])

/** Computes the figures of one or more runs of the same source. `seconds` is their total time. */
export function figuresOf(outcomes: readonly Outcome[], seconds: number) {
  const took = (...statuses: number[]) => outcomes.flatMap((outcome) => tookOf(outcome, ...statuses))
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0)
  const statuses = new Set(outcomes.flatMap(({ byStatus }) => Object.keys(byStatus).map(Number)))
  const others = [...statuses].filter((status) => status !== 200 && !REFUSALS.includes(status))
  return {
    sent: sum(({ sent }) => sent),
    /** Responses with status 200 per second. */
    goodput: round(took(200).length / seconds),
    accepted: summary(took(200)),
    refused: summary(took(...REFUSALS)),
    /** Responses other than 200, 429 and 503, by status. 0 means lost. */
    others: Object.fromEntries(others.map((status) => [status, took(status).length])),
    /** Why the first of the lost responses, or of those with an unexpected status, failed. */
    failure: outcomes.find((one) => one.failure !== null)?.failure ?? null,
    lackingRetryAfter: sum((one) => one.lackingRetryAfter),
    lateP99: round(
      quantile(
        outcomes.flatMap(({ lateMs }) => lateMs),
        0.99,
      ),
    ),
  }
}

const summary = (times: readonly number[]): Summary => ({
  count: times.length,
  p50: round(quantile(times, 0.5)),
  p99: round(quantile(times, 0.99)),
})

const round = (value: number) => Math.round(value * 10) / 10
