import { z } from 'zod'
import { AccessKey } from '#/access-key.ts'
import { accessKey } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'

export const OperatorAccessKeys = operation({
  name: 'operator-access-keys',
  summary: 'Read the access keys of operators',
  description: 'The access keys of operators, newest first, including expired and revoked ones.',
  method: 'GET',
  path: '/operatorapi/v1/access-keys',
  owner: 'accounts',
  admission: 'priority',
  query: PageQuery,
  response: z.array(AccessKey),
  returns: 'The access keys.',
  examples: { response: [{ ...accessKey, kind: 'operator' }] },
})
