import { z } from 'zod'
import { keys } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

const id = `saga_${keys.order}`

export const RetryAttention = operation({
  name: 'retry-attention',
  summary: 'Retry the work of an incident',
  description:
    'For an operator who has removed the cause: republishes a dead letter or the command of a saga, or repeats a reconciliation or an alert.',
  method: 'POST',
  path: '/operatorapi/v1/attention/:id/retry',
  owner: 'orders',
  admission: 'priority',
  params: z.object({ id: ApiKey.meta({ description: 'id of the incident.', example: id }) }),
  response: z.object({ id: ApiKey, done: z.string().describe('The action in words.') }),
  returns: 'The action.',
  examples: { response: { id, done: 'The command of the saga is republished within a second.' } },
  problems: ['attention-not-found'],
})
