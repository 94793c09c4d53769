import { AccessKey } from '#/access-key.ts'
import { accessKey } from '#/examples.ts'
import { AccessKeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'

export const RevokeAccessKey = operation({
  name: 'revoke-access-key',
  summary: 'Revoke an access key',
  description:
    'Revokes an access key of any kind; within a second it is rejected everywhere. Revoking it again changes nothing. The last operator key that does not expire cannot be revoked.',
  method: 'POST',
  path: '/operatorapi/v1/access-keys/:id/revoke',
  owner: 'accounts',
  admission: 'priority',
  params: AccessKeyInPath,
  response: AccessKey,
  returns: 'The access key.',
  examples: { response: { ...accessKey, revoked: 1795206600 } },
  problems: ['access-key-not-found', 'last-operator-key'],
})
