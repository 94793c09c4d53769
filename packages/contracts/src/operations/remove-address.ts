import { address } from '#/examples.ts'
import { AddressInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address } from '#/records.ts'

export const RemoveAddress = operation({
  name: 'remove-address',
  summary: "Remove an address from a user's account",
  description:
    'Later orders cannot be delivered to the address by its apiKey; earlier ones still show it. No body is needed.',
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/remove-address/:addressApiKey',
  owner: 'accounts',
  admission: 'write',
  params: AddressInPath,
  response: Address,
  returns: 'The address that was removed.',
  examples: { response: address },
  problems: ['user-not-found', 'address-not-found'],
})
