import { z } from 'zod'
import { CardDetails } from '#/messages/accounts.ts'
import { internalOperation } from '#/operation.ts'

/**
 * Reads the current details of a saved card at the payment processor, because its bank may have replaced it. Null if the processor
 * has no details.
 */
export const ReadCard = internalOperation({
  name: 'read-card',
  path: '/internal/read-card',
  owner: 'payments',
  body: z.object({ token: z.string() }),
  response: z.object({ card: CardDetails.nullable() }),
  problems: ['payment-unavailable'],
})
