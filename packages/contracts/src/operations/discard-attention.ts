import { z } from 'zod'
import { operation } from '#/operation.ts'
import { RetryAttention } from '#/operations/retry-attention.ts'
import { ApiKey } from '#/values.ts'

const id = 'letter_ce348db2e24b90f1'

export const DiscardAttention = operation({
  ...RetryAttention,
  name: 'discard-attention',
  summary: 'Discard a dead letter',
  description:
    'Deletes a message that no version can handle, such as that of a foreign publisher. No order needs it: the row of an order republishes its command. Other incidents cannot be discarded: they end with their cause.',
  path: '/operatorapi/v1/attention/:id/discard',
  params: z.object({ id: ApiKey.meta({ description: 'id of an incident `dead-letter`.', example: id }) }),
  examples: { response: { id, done: 'The message was deleted.' } },
})
