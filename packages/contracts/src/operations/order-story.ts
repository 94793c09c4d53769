import { z } from 'zod'
import { deliveryOrder, keys, statuses } from '#/examples.ts'
import { OrderInPath } from '#/inputs.ts'
import { PaymentStory } from '#/internal/read-payment-story.ts'
import { operation } from '#/operation.ts'
import { FoundOrder } from '#/operations/find-orders.ts'
import { Order, OrderStatusRecord } from '#/records.ts'
import { Epoch } from '#/values.ts'

const SagaStory = z
  .object({
    state: z
      .enum(['running', 'completed', 'failed'])
      .describe('`failed`: all completed steps were compensated. A cancelled order ends there as well.'),
    step: z.string().nullable().describe('The current step; null at the end.'),
    undo: z.boolean().describe('Whether the saga compensates.'),
    version: z.int().describe('The number of times that the saga was saved.'),
    attempts: z.int().describe('The number of times that the command of this version was published.'),
    done: z.array(z.string()).describe('The completed steps, in their order.'),
    undone: z.array(z.string()).describe('The completed steps that were compensated.'),
    refusal: z
      .object({ code: z.string(), detail: z.string(), declineCode: z.string().nullable() })
      .nullable()
      .describe('Why the saga compensates.'),
    wakeAt: Epoch.nullable().describe('When the command is republished without a reply; null at the end.'),
    deadline: Epoch.describe('A saga that runs longer is an incident.'),
    finished: Epoch.nullable(),
  })
  .meta({ id: 'SagaStory' })

const DeliveryStory = z
  .object({
    link: z
      .string()
      .describe(
        'How the order reaches the restaurant: `webhook`, `console`, or `default` for DEFAULT_RESTAURANT_LINK.',
      ),
    attempts: z.int(),
    outcome: z.enum(['accepted', 'refused', 'unreachable']).nullable().describe('Null while it is unknown.'),
    lastResult: z.string().nullable().describe('The result of the last failed attempt.'),
    busyUntil: Epoch.describe('When the lease of the current attempt expires.'),
    deadline: Epoch.describe('No attempt begins after this time.'),
    cancellationAttempts: z
      .int()
      .describe(
        'The number of times that a cancellation was sent to a restaurant that may have received the order.',
      ),
    cancellationAt: Epoch.nullable().describe(
      'When the cancellation is sent again; null when it is confirmed, or when no cancellation is due.',
    ),
  })
  .meta({ id: 'DeliveryStory' })

/** All stored facts about one order of any application, including a failed order. */
export const OrderStory = z
  .object({
    order: Order,
    ...FoundOrder.pick({ applicationId: true, outcome: true, visible: true }).shape,
    statuses: z.array(OrderStatusRecord).describe('Oldest first.'),
    saga: SagaStory,
    payment: PaymentStory.nullable().describe(
      'Null when payments has no row of the order, or does not respond.',
    ),
    paymentUnavailable: z
      .boolean()
      .describe('Whether payments does not respond, so that `payment` is not known.'),
    delivery: DeliveryStory.nullable().describe('Null when no transmission was requested.'),
    requestId: z
      .string()
      .describe('The id of the request that placed the order; every log line about the order has it.'),
    traceId: z.string().nullable().describe('The trace of the order; null without tracing.'),
  })
  .meta({ id: 'OrderStory' })
export type OrderStory = z.infer<typeof OrderStory>

export const GetOrderStory = operation({
  name: 'order-story',
  summary: 'Read all stored facts about an order',
  description:
    'All stored facts about one order of any application: the order, its status history, its saga, its payment and its transmission. It includes orders that failed before any client saw them. Instead of the apiKey, the path also accepts the order number (`id`) of the console and the ticket: 1 to 15 digits. The response never contains a card number or a token.',
  method: 'GET',
  path: '/operatorapi/v1/orders/:apiKey',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  response: OrderStory,
  returns: 'The order and the facts about it.',
  examples: {
    response: {
      order: deliveryOrder,
      applicationId: keys.application,
      outcome: 'transmitted',
      visible: true,
      statuses,
      saga: {
        state: 'completed',
        step: null,
        undo: false,
        version: 3,
        attempts: 1,
        done: ['authorize', 'transmit', 'capture'],
        undone: [],
        refusal: null,
        wakeAt: null,
        deadline: 1795199700,
        finished: 1795199402,
      },
      payment: {
        state: 'captured',
        amount: deliveryOrder.total,
        processorId: 'pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
        releaseRequested: null,
        refusal: null,
        attempts: 1,
        unknown: null,
        created: 1795199400,
        updated: 1795199402,
        refunds: [],
        disputes: [
          {
            id: 'dp_1',
            state: 'OPEN',
            amount: deliveryOrder.total,
            reason: 'product_not_received',
            respondBy: 1795804200,
            date: 1795285800,
          },
        ],
      },
      paymentUnavailable: false,
      delivery: {
        link: 'webhook',
        attempts: 1,
        outcome: 'accepted',
        lastResult: null,
        busyUntil: 1795199412,
        deadline: 1795199520,
        cancellationAttempts: 0,
        cancellationAt: null,
      },
      requestId: '182a2cce-1191-4f2f-b816-c96c88181d5a',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    },
  },
  problems: ['order-not-found'],
})
