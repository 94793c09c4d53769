import type { Outcome } from './load.ts'

/** What became of one source, in figures. Times in ms; `goodput` is what was answered 200 in a second. */
export type Figures = {
  sent: number
  goodput: number
  accepted: { count: number; p50: number; p99: number }
  refused: { count: number; p50: number; p99: number }
  /** Neither 200 nor a refusal that asks to come back. */
  others: Record<string, number>
  withoutRetryAfter: number
  lateP99: number
}

export function figuresOf(outcome: Outcome, seconds: number): Figures {
  const { answered, sent, lost, withoutRetryAfter, lateMs } = outcome
  const accepted = answered[200] ?? []
  const refused = [...(answered[429] ?? []), ...(answered[503] ?? [])]
  const others = Object.entries(answered).filter(([status]) => !['200', '429', '503'].includes(status))
  return {
    sent,
    goodput: round(accepted.length / seconds),
    accepted: summary(accepted),
    refused: summary(refused),
    others: {
      ...Object.fromEntries(others.map(([status, times]) => [status, times.length])),
      ...(lost > 0 && { lost }),
    },
    withoutRetryAfter,
    lateP99: quantile(lateMs, 0.99),
  }
}

const summary = (times: number[]) => ({
  count: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
})

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

const round = (value: number) => Math.round(value * 10) / 10
