import { KeyInPath, NewAddress } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address } from '#/records.ts'

/** docs/specification.md, "Endpoints". At most 50 a user. */
export const AddAddress = operation({
  name: 'add-address',
  summary: "Add an address to a user's account",
  method: 'POST',
  path: '/publicapi/v1/user/:apiKey/add-address',
  owner: 'accounts',
  admission: 'write',
  params: KeyInPath,
  body: NewAddress,
  response: Address,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'user-not-found', 'too-many-saved'],
})
