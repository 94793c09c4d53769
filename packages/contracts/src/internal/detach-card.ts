import { z } from 'zod'
import { internalOperation } from '#/operation.ts'

/**
 * Detaches a removed card at the payment processor, so that it can never be charged again. The operation is idempotent. Existing
 * authorizations are not affected.
 */
export const DetachCard = internalOperation({
  name: 'detach-card',
  path: '/internal/detach-card',
  owner: 'payments',
  body: z.object({ token: z.string() }),
  /** False for a card that the processor does not have, such as a card of the previous processor. */
  response: z.object({ detached: z.boolean() }),
  problems: ['payment-unavailable'],
})
