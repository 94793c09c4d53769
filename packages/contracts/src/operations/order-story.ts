import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { PaymentStory } from '#/internal.ts'
import { operation } from '#/operation.ts'
import { Order, OrderStatusRecord } from '#/records.ts'
import { ApiKey, Epoch } from '#/values.ts'

const SagaStory = z
  .object({
    state: z
      .enum(['running', 'completed', 'failed'])
      .describe('`failed`: everything was undone. A cancelled order ends there as well.'),
    step: z.string().nullable().describe('What is being done, or undone; null at the end.'),
    undo: z.boolean().describe('Whether the saga goes back.'),
    version: z.int().describe('Rises with every answer that moved it.'),
    attempts: z.int().describe('How often the command of this version was said.'),
    done: z.array(z.string()).describe('Steps that are done, in their order.'),
    undone: z.array(z.string()).describe('Steps of those that were undone again.'),
    refusal: z
      .object({ code: z.string(), detail: z.string(), declineCode: z.string().nullable() })
      .nullable()
      .describe('Why it goes back, or went.'),
    wakeAt: Epoch.nullable().describe('When the command is said again without an answer; null at the end.'),
    deadline: Epoch.describe('A saga that runs longer needs a person.'),
    finished: Epoch.nullable(),
  })
  .meta({ id: 'SagaStory' })

const DeliveryStory = z
  .object({
    link: z.string().describe('How the order reaches the restaurant: `webhook`, `console`.'),
    attempts: z.int(),
    outcome: z
      .enum(['accepted', 'refused', 'unreachable'])
      .nullable()
      .describe('Null as long as it is not known.'),
    lastResult: z.string().nullable().describe('What came of the last attempt that came to nothing.'),
    busyUntil: Epoch.describe('Until then it is left to the one who transmits it.'),
    deadline: Epoch.describe('No attempt is made after this.'),
    cancellationAttempts: z
      .int()
      .describe('How often the restaurant was told that an order is off which it may have all the same.'),
    cancellationAt: Epoch.nullable().describe(
      'When it is told again; null when there is nothing to tell, or nothing more.',
    ),
  })
  .meta({ id: 'DeliveryStory' })

/** Everything that is known of one order, whichever application placed it, whatever came of it. */
export const OrderStory = z
  .object({
    order: Order,
    applicationId: ApiKey.describe('The client application that placed it.'),
    outcome: z
      .enum(['pending', 'transmitted', 'failed'])
      .describe('`transmitted`: its restaurant has it. `failed`: it came to nothing.'),
    visible: z
      .boolean()
      .describe('Whether clients see it: not one that failed before anybody was told of it.'),
    statuses: z.array(OrderStatusRecord).describe('Oldest first.'),
    saga: SagaStory,
    payment: PaymentStory.nullable().describe('Null when payments have never heard of it.'),
    delivery: DeliveryStory.nullable().describe('Null when it was never to be transmitted.'),
    requestId: z.string().describe('Of the request that placed it: in every log line about it.'),
    traceId: z.string().nullable().describe('Of the trace that it is in; null when nothing was traced.'),
  })
  .meta({ id: 'OrderStory' })
export type OrderStory = z.infer<typeof OrderStory>

/** The order by its apiKey, or by its number: the `id` of its record, 1 to 15 digits. */
export const GetOrderStory = operation({
  name: 'order-story',
  summary: 'Read everything that is known of an order',
  method: 'GET',
  path: '/operatorapi/v1/orders/:apiKey',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  response: OrderStory,
  problems: ['order-not-found'],
})
