import { KeyInPath, NewCard } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { CreditCard } from '#/records.ts'

/** docs/specification.md, "Endpoints". The number is exchanged for a token before anything is stored. At most 20 a user. */
export const AddCard = operation({
  name: 'add-card',
  summary: "Add a card to a user's account",
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/add-card',
  owner: 'accounts',
  admission: 'write',
  params: KeyInPath,
  body: NewCard,
  response: CreditCard,
  problems: [
    'malformed-json',
    'not-json',
    'body-too-large',
    'user-not-found',
    'card-declined',
    'card-expired',
    'cvc-failed',
    'too-many-saved',
    'payment-not-possible',
    'payment-unavailable',
  ],
})
