import { user } from '#/examples.ts'
import { UserInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'

export const GetUser = operation({
  name: 'user',
  summary: 'Read a user',
  description: 'A user that registered or signed in through your application.',
  method: 'GET',
  path: '/publicapi/v1/user/:apiKey',
  owner: 'accounts',
  admission: 'read',
  params: UserInPath,
  response: User,
  returns: 'The user, with saved cards and addresses.',
  examples: { response: user },
  problems: ['user-not-found'],
})
