import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Address } from '#/records.ts'
import { ApiKey } from '#/values.ts'

/** No later order can be delivered to the address by its apiKey; earlier ones go on showing it. */
export const RemoveAddress = operation({
  name: 'remove-address',
  summary: "Remove an address from a user's account",
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/remove-address/:addressApiKey',
  owner: 'accounts',
  admission: 'write',
  params: z.object({ apiKey: ApiKey, addressApiKey: ApiKey }),
  response: Address,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'user-not-found', 'address-not-found'],
})
