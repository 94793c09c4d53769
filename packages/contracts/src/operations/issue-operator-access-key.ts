import { IssuedAccessKey, NewAccessKey } from '#/access-key.ts'
import { issuedAccessKey } from '#/examples.ts'
import { operation } from '#/operation.ts'

export const IssueOperatorAccessKey = operation({
  name: 'issue-operator-access-key',
  summary: 'Issue an access key of an operator',
  description:
    'Creates another access key of an operator. Issue one for each person and each tool, so that each can be revoked alone. Only its hash is stored, so this response is the only one that contains it.',
  method: 'POST',
  path: '/operatorapi/v1/access-keys',
  owner: 'accounts',
  admission: 'priority',
  body: NewAccessKey,
  response: IssuedAccessKey,
  returns: 'The access key.',
  examples: { bodies: { 'A key': { mode: 'live' } }, response: issuedAccessKey },
})
