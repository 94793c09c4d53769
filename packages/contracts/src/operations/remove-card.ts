import { card } from '#/examples.ts'
import { CardInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { CreditCard } from '#/records.ts'

export const RemoveCard = operation({
  name: 'remove-card',
  summary: "Remove a card from a user's account",
  description: 'Later orders cannot be paid with the card; earlier ones still show it. No body is needed.',
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/remove-card/:cardApiKey',
  owner: 'accounts',
  admission: 'write',
  params: CardInPath,
  response: CreditCard,
  returns: 'The card that was removed.',
  examples: { response: card },
  problems: ['user-not-found', 'card-not-found'],
})
