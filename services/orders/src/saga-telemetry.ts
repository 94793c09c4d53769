import type { SagaAnswer } from '@platter/contracts'
import { histogram, inEntry, inSpan, observe, SpanKind } from '@platter/kit'
import type { RestaurantLink } from '@platter/contracts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import { next } from '#/saga/engine.ts'
import { sendOrderSaga } from '#/saga/send-order.saga.ts'
import { deadLetters, inFlight } from '#/store/saga-counts.ts'
import type { DueSaga } from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'

/* What traces and metrics say of sagas. Nothing here decides anything. */

type Ref = { orderApiKey: string; version: number; attempt: number }

const refOf = ({ orderApiKey, version, attempt }: Ref) => ({
  'platter.order.api_key': orderApiKey,
  'platter.saga.version': version,
  'platter.saga.attempt': attempt,
})

/** The acceptance of an order: its commit, and its first command. */
export const accepting = <T>(orderApiKey: string, work: () => Promise<T>): Promise<T> =>
  inSpan(() => ({ name: 'saga accept', attributes: { 'platter.order.api_key': orderApiKey } }), work)

/** A step's answer: the commit of what it changes, and the next command. */
export const takingAnswer = <T>(answer: SagaAnswer, work: () => Promise<T>): Promise<T> =>
  inSpan(
    () => ({
      name: `saga ${answer.step}`,
      attributes: {
        ...refOf(answer),
        'platter.saga.step': answer.step,
        'platter.saga.undo': answer.undo,
        'platter.saga.outcome': answer.outcome.kind,
      },
    }),
    work,
  )

/** A command that is said again, in the trace of the request that began the saga, however long ago that was. */
export const sayingAgain = <T>(row: DueSaga, work: () => Promise<T>): Promise<T> =>
  inEntry(
    { traceparent: row.traceparent, requestId: row.requestId },
    { name: 'saga wake', kind: SpanKind.INTERNAL, attributes: () => refOf(row), linked: true },
    work,
  )

type Transmit = (link: RestaurantLink, sent: Transmission) => Promise<Receipt>

/** The call of a restaurant, by whichever link, and what it said. */
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
export const sagaEnded = (age: number, outcome: 'completed' | 'failed'): void =>
  duration(age, { 'platter.saga.outcome': outcome })

/** How many sagas wait for which step's answer, since when the oldest of them was placed, and what nobody could handle. */
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
      const coming = next(sendOrderSaga, facts, state)
      const step = 'step' in coming ? coming.step.name : coming.kind
      return {
        count,
        seconds,
        attributes: { 'platter.saga.step': step, 'platter.saga.undo': coming.kind === 'undo' },
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
