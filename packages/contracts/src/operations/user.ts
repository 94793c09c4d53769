import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'

/** docs/specification.md, "Endpoints": the user with saved cards and addresses. */
export const GetUser = operation({
  name: 'user',
  summary: 'Read a user',
  method: 'GET',
  path: '/publicapi/v1/user/:apiKey',
  owner: 'accounts',
  admission: 'read',
  params: KeyInPath,
  response: User,
  problems: ['user-not-found'],
})
