import { card, newCard, tokenCard } from '#/examples.ts'
import { NewCard, UserInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { CreditCard } from '#/records.ts'

export const AddCard = operation({
  name: 'add-card',
  summary: "Add a card to a user's account",
  description:
    'Saves a card for later orders, at most 20. The payment processor checks number and cvv, or the `processorToken`; none of them is stored. The development processor saves every valid number; `4000000000000002` is declined when it pays an order.',
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/add-card',
  owner: 'accounts',
  admission: 'write',
  params: UserInPath,
  body: NewCard,
  response: CreditCard,
  returns: 'The saved card.',
  examples: { bodies: { 'A card': newCard, 'A token of the payment processor': tokenCard }, response: card },
  problems: [
    'user-not-found',
    'card-declined',
    'card-expired',
    'cvc-failed',
    'too-many-saved',
    'payment-not-possible',
    'payment-unavailable',
  ],
})
