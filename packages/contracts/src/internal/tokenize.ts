import { z } from 'zod'
import { newCardWith } from '#/inputs.ts'
import { internalOperation } from '#/operation.ts'
import { LastFour } from '#/records.ts'
import { ApiKey } from '#/values.ts'

/** The origin of a new card, for the limits of new cards and declines. Null when there is none or it is unknown. */
export const CardUser = z.object({
  userApiKey: ApiKey.nullable(),
  applicationId: z.string().nullable(),
  /** The client's, as the gateway saw it. */
  address: z.string().nullable(),
})
export type CardUser = z.infer<typeof CardUser>

/**
 * Exchanges a card number, or a token that the client created at the processor, for the token that is charged. Card numbers
 * reach payments in no other way.
 */
export const Tokenize = internalOperation({
  name: 'tokenize',
  path: '/internal/tokenize',
  owner: 'payments',
  // Optional, because replicas of an older version do not send it.
  body: newCardWith({ by: CardUser.optional() }),
  response: z.object({
    token: z.string(),
    brand: z.string(),
    lastFour: LastFour,
    // Of a processor token's card.
    expirationMonth: z.string().optional(),
    expirationYear: z.string().optional(),
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
