import { z } from 'zod'
import { Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** Something that does not go on by itself. Ids, types, reasons and counts only: no message is shown. */
export const Attention = z
  .object({
    id: ApiKey.describe('Stays the same as long as it needs somebody.'),
    kind: z
      .enum(['dead-letter', 'overdue-saga', 'unknown-payment', 'order-unaccepted'])
      .describe(
        '`dead-letter`: a message that could not be handled. `overdue-saga`: an order whose deadline has passed. `unknown-payment`: the processor left open what came of a call. `order-unaccepted`: half of the time is over after which an order is cancelled that its restaurant has not started.',
      ),
    orderApiKey: ApiKey.nullable().describe('Null for a message that cannot be read.'),
    what: z
      .string()
      .describe('The message, the step of the saga, the call to the processor, or the restaurant.'),
    reason: z.string(),
    count: z.int().describe('How often it was tried; 0 for an order that waits for its restaurant.'),
    since: Epoch,
  })
  .meta({ id: 'Attention' })
export type Attention = z.infer<typeof Attention>

/** What needs a person, newest first; nothing is as it should be. */
export const ReadAttention = operation({
  name: 'attention',
  summary: 'Read what needs a person',
  method: 'GET',
  path: '/operatorapi/v1/attention',
  owner: 'orders',
  admission: 'priority',
  query: Page,
  response: z.array(Attention),
  problems: [],
})

/** Says a dead letter again, wakes a saga now, asks the processor again. */
export const RetryAttention = operation({
  name: 'retry-attention',
  summary: 'Try again what needs a person',
  method: 'POST',
  path: '/operatorapi/v1/attention/:id/retry',
  owner: 'orders',
  admission: 'priority',
  params: z.object({ id: ApiKey }),
  response: z.object({ id: ApiKey, done: z.string().describe('What was done, in words.') }),
  problems: ['attention-not-found'],
})
