import { z } from 'zod'
import { NewCard } from '#/inputs.ts'
import { internalOperation } from '#/operation.ts'
import { CardDetails } from '#/messages/accounts.ts'
import { ApiKey } from '#/values.ts'

/** The origin of a new card, for the limits on new cards and declines. A field is null if it is unknown or does not apply. */
export const CardUser = z.object({
  userApiKey: ApiKey.nullable(),
  applicationId: z.string().nullable(),
  /** The client's address, as seen by the gateway. */
  address: z.string().nullable(),
})
export type CardUser = z.infer<typeof CardUser>

/**
 * Exchanges a card number, or a processor token of the client, for the token that is charged. No other operation sends card numbers
 * to payments.
 */
export const Tokenize = internalOperation({
  name: 'tokenize',
  path: '/internal/tokenize',
  owner: 'payments',
  body: NewCard.safeExtend({ by: CardUser }),
  // With an expiry for a card that the client sent as a processor token.
  response: CardDetails.partial({ expirationMonth: true, expirationYear: true }).extend({
    token: z.string(),
  }),
  problems: [
    'card-declined',
    'card-expired',
    'cvc-failed',
    'raw-card-not-accepted',
    'payment-not-possible',
    'payment-unavailable',
    'rate-limited',
  ],
})
