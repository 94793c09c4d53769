import { inRootSpan, inSpan, SpanKind } from '@platter/kit'
import type { Transmit } from '#/delivery/outside/restaurant-link.ts'
import type { LeasedDelivery } from '#/store/deliveries.ts'

/* Spans of deliveries. */

/** The span of a delivery's result: its commit, and the next command. */
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

/** The span of an attempt by a replica that found the delivery due, in the trace of the request that began the saga. */
export const retryingDelivery = <T>(
  { orderApiKey, attempt, requestId, traceparent: origin }: LeasedDelivery,
  work: () => Promise<T>,
): Promise<T> =>
  inRootSpan(
    { traceparent: origin, requestId },
    () => ({
      name: 'delivery retry',
      attributes: { 'platter.order.api_key': orderApiKey, 'platter.delivery.attempt': attempt },
    }),
    work,
    { isLinked: true },
  )

/** The span of the transmission to a restaurant, and its receipt. */
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
