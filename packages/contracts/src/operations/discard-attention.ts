import { z } from 'zod'
import { operation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

const id = 'letter_ce348db2e24b90f1'

export const DiscardAttention = operation({
  name: 'discard-attention',
  summary: 'Discard a dead letter',
  description:
    'Deletes a message that no version can handle, such as that of a foreign publisher. No order needs it: the row of an order republishes its command. Other incidents cannot be discarded: they end with their cause.',
  method: 'POST',
  path: '/operatorapi/v1/attention/:id/discard',
  owner: 'orders',
  params: z.object({ id: ApiKey.meta({ description: 'id of an incident `dead-letter`.', example: id }) }),
  response: z.object({ id: ApiKey, done: z.string().describe('The action in words.') }),
  returns: 'The action.',
  examples: { response: { id, done: 'The message was deleted.' } },
  problems: ['attention-not-found'],
})
