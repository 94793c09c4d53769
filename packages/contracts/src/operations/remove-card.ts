import { z } from 'zod'
import { operation } from '#/operation.ts'
import { CreditCard } from '#/records.ts'
import { ApiKey } from '#/values.ts'

/** No later order can be paid with the card; earlier ones go on showing it. */
export const RemoveCard = operation({
  name: 'remove-card',
  summary: "Remove a card from a user's account",
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/remove-card/:cardApiKey',
  owner: 'accounts',
  admission: 'write',
  params: z.object({ apiKey: ApiKey, cardApiKey: ApiKey }),
  response: CreditCard,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'user-not-found', 'card-not-found'],
})
