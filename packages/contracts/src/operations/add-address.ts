import { address, newAddress } from '#/examples.ts'
import { NewAddress, UserInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address } from '#/records.ts'

export const AddAddress = operation({
  name: 'add-address',
  summary: "Add an address to a user's account",
  description: 'Saves an address for later orders, at most 50.',
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/add-address',
  owner: 'accounts',
  admission: 'write',
  params: UserInPath,
  body: NewAddress,
  response: Address,
  returns: 'The saved address.',
  examples: { bodies: { 'An address': newAddress }, response: address },
  problems: ['user-not-found', 'too-many-saved'],
})
