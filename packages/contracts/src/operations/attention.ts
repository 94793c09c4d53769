import { z } from 'zod'
import { keys } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch } from '#/values.ts'

const KINDS = {
  'dead-letter': 'a message that no consumer could handle',
  'overdue-saga': 'an order whose deadline has passed',
  'unknown-payment': 'a call to the processor with an unknown outcome',
  'order-unaccepted':
    'the restaurant has not started the order, and half of the time until its automatic cancellation has passed',
  'cancellation-unconfirmed':
    'the webhook of a restaurant has not confirmed for 2 minutes that an order is cancelled, so the restaurant may prepare it',
  'open-dispute': 'the bank of a customer disputes the charge, and the processor awaits a response',
  'failed-refund':
    'a refund has failed in the last 30 days, or a dispute of a cancelled order was won, and none was requested since',
  'restaurant-unattended': 'a restaurant has been unattended for 5 minutes within its opening hours',
  'reconciliation-mismatch':
    'the daily reconciliation found that the books of an order contradict one another',
  'reconciliation-overdue': 'no daily reconciliation has ended for 30 hours',
  'alert-undelivered': 'a receiver of alerts has not confirmed one for ten minutes',
  'incidents-unavailable':
    'the incidents of one kind cannot be read, because a service or RabbitMQ is unavailable; there is no alert about it',
} as const

/** An incident: identifiers, types, reasons and counts only, never the content of a message. */
export const Attention = z
  .object({
    id: ApiKey.describe('Stays the same while the incident is open.'),
    kind: z.enum(Object.keys(KINDS) as (keyof typeof KINDS)[]).describe(
      Object.entries(KINDS)
        .map(([kind, meaning]) => `\`${kind}\`: ${meaning}.`)
        .join(' '),
    ),
    orderApiKey: ApiKey.nullable().describe(
      'Null for a message that cannot be parsed, and for an incident without an order.',
    ),
    what: z
      .string()
      .describe(
        'The message, the step of the saga, the call to the processor, the restaurant, the violated rule, the reconciliation, the channel, or the kind that cannot be read.',
      ),
    reason: z.string(),
    count: z.int().describe('The number of attempts, or of disputes; 0 for an incident without either.'),
    since: Epoch,
  })
  .meta({ id: 'Attention' })
export type Attention = z.infer<typeof Attention>

export const ReadAttention = operation({
  name: 'attention',
  summary: 'Read the open incidents',
  description:
    'The states that need an operator, newest first. `kind` has the meaning of each. Usually empty; of each source, the newest 5,000. While a part of the platform is unavailable, the list has the other incidents, and names the kinds that are missing.',
  method: 'GET',
  path: '/operatorapi/v1/attention',
  owner: 'orders',
  admission: 'priority',
  query: PageQuery,
  response: z.array(Attention),
  returns: 'The open incidents.',
  examples: {
    response: [
      {
        id: `saga_${keys.order}`,
        kind: 'overdue-saga',
        orderApiKey: keys.order,
        what: 'capture',
        reason: 'The order is past its deadline.',
        count: 9,
        since: 1795199700,
      },
    ],
  },
})
