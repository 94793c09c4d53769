import type { SagaReply } from '@platter/contracts'
import { histogram, inEntry, inSpan, observe, SpanKind } from '@platter/kit'
import type { RestaurantLink } from '@platter/contracts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import { awaitedStep } from '#/saga/transition.ts'
import type { LeasedDelivery } from '#/store/deliveries.ts'
import { deadLetters, inFlight } from '#/store/saga-counts.ts'
import type { DueSaga } from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'

/* Traces and metrics of sagas. */

type Ref = { orderApiKey: string; version: number; attempt: number }

const refOf = ({ orderApiKey, version, attempt }: Ref) => ({
  'platter.order.api_key': orderApiKey,
  'platter.saga.version': version,
  'platter.saga.attempt': attempt,
})

/** The acceptance of an order: its commit, and its first command. */
export const accepting = <T>(orderApiKey: string, work: () => Promise<T>): Promise<T> =>
  inSpan(() => ({ name: 'saga accept', attributes: { 'platter.order.api_key': orderApiKey } }), work)

/** A participant's reply: the commit of what it changes, and the next command. */
export const handlingReply = <T>(reply: SagaReply, work: () => Promise<T>): Promise<T> =>
  inSpan(
    () => ({
      name: `saga ${reply.step}`,
      attributes: {
        ...refOf(reply),
        'platter.saga.step': reply.step,
        'platter.saga.undo': reply.undo,
        'platter.saga.outcome': reply.outcome.kind,
      },
    }),
    work,
  )

/** The result of a delivery: the commit of what it changes, and the next command. */
export const handlingResult = <T>(orderApiKey: string, outcome: string, work: () => Promise<T>): Promise<T> =>
  inSpan(
    () => ({
      name: 'saga transmit',
      attributes: {
        'platter.order.api_key': orderApiKey,
        'platter.saga.step': 'transmit',
        'platter.saga.outcome': outcome,
      },
    }),
    work,
  )

/** A command that is republished, in the trace of the request that began the saga, however long ago that was. */
export const retryingCommand = <T>(
  { saga, traceparent: origin }: Pick<DueSaga, 'saga' | 'traceparent'>,
  work: () => Promise<T>,
): Promise<T> =>
  inEntry(
    { traceparent: origin, requestId: saga.requestId },
    { name: 'saga retry', kind: SpanKind.INTERNAL, attributes: () => refOf(saga), linked: true },
    work,
  )

/** An attempt by a replica that found the delivery due, in the trace of the request that began the saga. */
export const retryingDelivery = <T>(
  { orderApiKey, attempt, requestId, traceparent: origin }: LeasedDelivery,
  work: () => Promise<T>,
): Promise<T> =>
  inEntry(
    { traceparent: origin, requestId },
    {
      name: 'delivery retry',
      kind: SpanKind.INTERNAL,
      attributes: () => ({ 'platter.order.api_key': orderApiKey, 'platter.delivery.attempt': attempt }),
      linked: true,
    },
    work,
  )

type Transmit = (link: RestaurantLink, sent: Transmission) => Promise<Receipt>

/** The call of a restaurant, by any link, and its receipt. */
export const transmitting =
  (transmit: Transmit): Transmit =>
  (link, sent) =>
    inSpan(
      () => ({
        name: `transmit ${link.kind}`,
        kind: SpanKind.CLIENT,
        attributes: {
          'platter.order.api_key': sent.order.apiKey,
          'platter.restaurant.api_key': sent.order.restaurantApiKey,
          'platter.restaurant.link': link.kind,
        },
      }),
      async (span) => {
        const receipt = await transmit(link, sent)
        span?.setAttribute('platter.restaurant.receipt', receipt.kind)
        return receipt
      },
    )

const duration = histogram('platter.saga.duration', {
  unit: 's',
  description: 'From the acceptance of an order to the end of its saga, by what came of it.',
  advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] },
})

/** `age`: seconds since the order was placed. */
export const endedSaga = (age: number, outcome: 'completed' | 'failed'): void =>
  duration(age, { 'platter.saga.outcome': outcome })

/** Gauges: unfinished sagas by awaited step, the age of the oldest of them, and dead letters. */
export function observeSagas(db: Db): void {
  const gauges = {
    'platter.saga.in_flight': {
      unit: '{saga}',
      description: 'Sagas that are not finished, by awaited step.',
    },
    'platter.saga.oldest': { unit: 's', description: 'Age of the oldest unfinished saga, by awaited step.' },
    'platter.dead_letters': {
      unit: '{message}',
      description: 'Messages that could not be handled, kept to be looked at.',
    },
  }
  observe(gauges, async () => {
    const groups = (await inFlight(db)).map(({ count, seconds, facts, state }) => {
      const awaited = awaitedStep({ facts, state })
      const step = awaited?.step.name ?? 'end'
      return {
        count,
        seconds,
        attributes: { 'platter.saga.step': step, 'platter.saga.undo': awaited?.isCompensation ?? false },
      }
    })
    return {
      'platter.saga.in_flight': groups.map(({ count, attributes }) => ({ value: count, attributes })),
      'platter.saga.oldest': groups.map(({ seconds, attributes }) => ({ value: seconds, attributes })),
      'platter.dead_letters': (await deadLetters(db)).map(({ command, count }) => ({
        value: count,
        attributes: { 'platter.command': command },
      })),
    }
  })
}
