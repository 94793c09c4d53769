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
  const accepted = tookOf(outcome, 200)
  const refused = [...tookOf(outcome, 429), ...tookOf(outcome, 503)]
  const others = Object.entries(answered).filter(([status]) => !['200', '429', '503'].includes(status))
  return {
    sent,
    goodput: round(accepted.length / seconds),
    accepted: summary(accepted),
    refused: summary(refused),
    others: {
      ...Object.fromEntries(others.map(([status, { took }]) => [status, took.length])),
      ...(lost > 0 && { lost }),
    },
    withoutRetryAfter,
    lateP99: quantile(lateMs, 0.99),
  }
}

/** What came of several runs, as if they had been one. */
export function asOne(outcomes: readonly Outcome[]): Outcome {
  const answered: Outcome['answered'] = {}
  for (const one of outcomes)
    for (const [status, { at, took }] of Object.entries(one.answered)) {
      const answers = (answered[Number(status)] ??= { at: [], took: [] })
      answers.at.push(...at)
      answers.took.push(...took)
    }
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0)
  return {
    sent: sum(({ sent }) => sent),
    lost: sum(({ lost }) => lost),
    withoutRetryAfter: sum(({ withoutRetryAfter }) => withoutRetryAfter),
    lateMs: outcomes.flatMap(({ lateMs }) => lateMs),
    answered,
  }
}

const tookOf = ({ answered }: Outcome, status: number): readonly number[] => answered[status]?.took ?? []

/** Second by second when it was asked: the p99 of what was accepted, and of what was refused, in ms. */
export function secondBySecond({ answered }: Outcome): string {
  const seconds: ({ accepted: number[]; refused: number[] } | undefined)[] = []
  for (const [status, { at, took }] of Object.entries(answered))
    for (const [index, ms] of took.entries()) {
      const second = (seconds[Math.floor((at[index] ?? 0) / 1_000)] ??= { accepted: [], refused: [] })
      second[status === '200' ? 'accepted' : 'refused'].push(ms)
    }
  return Array.from(seconds, (second) =>
    second === undefined ? '-' : `${quantile(second.accepted, 0.99)}/${quantile(second.refused, 0.99)}`,
  ).join(' ')
}

const summary = (times: readonly number[]) => ({
  count: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
})

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

const round = (value: number) => Math.round(value * 10) / 10
