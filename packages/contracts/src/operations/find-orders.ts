import { z } from 'zod'
import { deliveryOrder, keys } from '#/examples.ts'
import { Moment, PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'
import { ApiKey, OrderStatus, PaymentState, text } from '#/values.ts'

/** An order of any application, for operators. */
export const FoundOrder = Order.extend({
  applicationId: ApiKey.describe('The client application that placed the order.'),
  outcome: z
    .enum(['pending', 'transmitted', 'failed'])
    .describe('`transmitted`: the restaurant has the order. `failed`: nothing was charged.'),
  visible: z
    .boolean()
    .describe('Whether clients see the order. An order that failed before any client saw it is hidden.'),
}).meta({ id: 'FoundOrder' })
export type FoundOrder = z.infer<typeof FoundOrder>

export const FindOrders = operation({
  name: 'find-orders',
  summary: 'Find orders of all applications',
  description:
    'Finds orders of all applications by facts that a customer knows, newest first. An order must match all given parameters; without parameters, all orders match. The result includes failed orders, except with `status` and `paymentState`, which match only orders that clients see.',
  method: 'GET',
  path: '/operatorapi/v1/orders',
  owner: 'orders',
  admission: 'priority',
  query: PageQuery.extend({
    number: z
      .int()
      .min(1)
      .optional()
      .describe('The number of the order (`id`) that the console and the ticket show.'),
    phone: text(50)
      .refine((phone) => /\d/.test(phone), 'has no digits')
      .optional()
      .describe(
        "The recipient's telephone number in any spelling, with or without the code of its country: `(608) 555-0142` and `+1 608 555 0142` are the same.",
      ),
    email: text(254).optional().describe("The recipient's e-mail address, in upper or lower case."),
    restaurant: ApiKey.optional().describe('apiKey of the restaurant.'),
    from: Moment.optional().describe('Unix time in seconds: orders placed at this time or later.'),
    to: Moment.optional().describe('Unix time in seconds: orders placed before this time.'),
    status: OrderStatus.optional().describe('The current status. A cancelled order keeps its last one.'),
    paymentState: PaymentState.optional(),
  }).refine(({ from = 0, to = Infinity }) => from < to, { path: ['to'], error: 'is not after from' }),
  response: z.array(FoundOrder),
  returns: 'The orders.',
  examples: {
    query: { phone: '(608) 555-0142' },
    response: [{ ...deliveryOrder, applicationId: keys.application, outcome: 'transmitted', visible: true }],
  },
})
