import { z } from 'zod'
import { NewCard } from '#/inputs.ts'
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

/** Exchanges a card number for the processor's token. Card numbers reach payments in no other way. */
export const Tokenize = internalOperation({
  name: 'tokenize',
  path: '/internal/tokenize',
  owner: 'payments',
  // Optional, because replicas of an older version do not send it.
  body: NewCard.extend({ by: CardUser.optional() }),
  response: z.object({ token: z.string(), brand: z.string(), lastFour: LastFour }),
  problems: [
    'card-declined',
    'card-expired',
    'cvc-failed',
    'payment-not-possible',
    'payment-unavailable',
    'rate-limited',
  ],
})
