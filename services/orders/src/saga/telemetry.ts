import type { SagaReply } from '@platter/contracts'
import { histogram, inRootSpan, inSpan, observe } from '@platter/kit'
import { awaitedStep } from '#/saga/domain/awaited-step.ts'
import type { Stores } from '#/store/stores.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { DueSaga } from '#/store/sagas.ts'

/* Spans and metrics of sagas. */

type Ref = { orderApiKey: string; version: number; attempt: number }

const refOf = ({ orderApiKey, version, attempt }: Ref) => ({
  'platter.order.api_key': orderApiKey,
  'platter.saga.version': version,
  'platter.saga.attempt': attempt,
})

/** The span of commit 1 of an order, and of its first command. */
export const placing = <T>(orderApiKey: string, work: () => Promise<T>): Promise<T> =>
  inSpan(() => ({ name: 'saga place', attributes: { 'platter.order.api_key': orderApiKey } }), work)

/** The span of a participant's reply: its commit, and the next command. */
export const handlingReply = <T>(reply: SagaReply, work: () => Promise<T>): Promise<T> =>
  inSpan(
    () => ({
      name: `saga ${reply.step}`,
      attributes: {
        ...refOf(reply),
        'platter.saga.step': reply.step,
        'platter.saga.compensating': reply.undo,
        'platter.saga.outcome': reply.outcome.kind,
      },
    }),
    work,
  )

/** The span of a republished command, in the trace of the request that began the saga. */
export const retryingCommand = <T>(
  { saga, traceparent: origin }: Pick<DueSaga, 'saga' | 'traceparent'>,
  work: () => Promise<T>,
): Promise<T> =>
  inRootSpan(
    { traceparent: origin, requestId: saga.requestId },
    () => ({ name: 'saga retry', attributes: refOf(saga) }),
    work,
    { isLinked: true },
  )

const duration = histogram('platter.saga.duration')

/** `age`: seconds since the order was placed. */
export const endedSaga = (age: number, outcome: 'completed' | 'failed'): void =>
  duration(age, { 'platter.saga.outcome': outcome })

type Counts = {
  incidents: Pick<Stores['incidents'], 'countUnfinishedSagas' | 'countDeadLetters'>
  alerts: Pick<AlertStore, 'countOpen'>
}

type Unfinished = Awaited<ReturnType<Stores['incidents']['countUnfinishedSagas']>>[number]

/**
 * Combines the states that await the same step, such as those of card and cash orders at their restaurants. Of several values with the
 * same attributes, the SDK exports only the last one.
 */
export function byAwaitedStep(states: readonly Unfinished[]) {
  const all = states.map((one) => ({ ...one, awaited: awaitedStep(one) }))
  const groups = Map.groupBy(all, ({ awaited }) => `${awaited?.step.name} ${awaited?.isCompensation}`)
  return [...groups.values()].map((group) => {
    const { step, isCompensation = false } = group[0]?.awaited ?? {}
    return {
      count: group.reduce((sum, { count }) => sum + count, 0),
      seconds: Math.max(...group.map(({ seconds }) => seconds)),
      attributes: { 'platter.saga.step': step?.name ?? 'end', 'platter.saga.compensating': isCompensation },
    }
  })
}

/** Observes gauges: unfinished sagas by awaited step, the age of the oldest one, dead letters, and open incidents by kind. */
export function observeSagas({ incidents, alerts }: Counts): void {
  const gauges = [
    'platter.saga.in_flight',
    'platter.saga.oldest',
    'platter.dead_letters',
    'platter.incidents',
  ] as const
  observe(gauges, async (report) => {
    for (const { count, seconds, attributes } of byAwaitedStep(await incidents.countUnfinishedSagas())) {
      report('platter.saga.in_flight', count, attributes)
      report('platter.saga.oldest', seconds, attributes)
    }
    for (const { command, count } of await incidents.countDeadLetters())
      report('platter.dead_letters', count, { 'platter.command': command })
    for (const { kind, count } of await alerts.countOpen())
      report('platter.incidents', count, { 'platter.incident.kind': kind })
  })
}
