import { z } from 'zod'
import { NewCard } from './inputs.ts'
import { operation } from './operation.ts'
import { Principal } from './principal.ts'
import { LastFour } from './records.ts'

/** Endpoints between our own processes; the gateway routes none of them. */

/** Who does an access key belong to? By its SHA-256 (hex); the key itself stays in the gateway. */
export const ResolveAccessKey = operation({
  name: 'resolve-access-key',
  summary: 'Find out whom an access key belongs to',
  method: 'POST',
  path: '/internal/resolve-access-key',
  owner: 'accounts',
  body: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: z.object({ principal: Principal.nullable() }),
  problems: [],
})

/** Exchanges a card number for the processor's token; the one way by which card numbers reach payments. */
export const Tokenize = operation({
  name: 'tokenize',
  summary: 'Exchange a card number for a token',
  method: 'POST',
  path: '/internal/tokenize',
  owner: 'payments',
  body: NewCard,
  response: z.object({ token: z.string(), brand: z.string(), lastFour: LastFour }),
  problems: ['card-declined', 'card-expired', 'cvc-failed', 'payment-unavailable'],
})
