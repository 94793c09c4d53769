import { z } from 'zod'
import { AccessKey } from '#/access-key.ts'
import { accessKey } from '#/examples.ts'
import { ApplicationInPath, PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'

export const ApplicationAccessKeys = operation({
  name: 'application-access-keys',
  summary: 'Read the access keys of a client application',
  description: 'The access keys of a client application, newest first, including expired and revoked ones.',
  method: 'GET',
  path: '/operatorapi/v1/applications/:id/access-keys',
  owner: 'accounts',
  params: ApplicationInPath,
  query: PageQuery,
  response: z.array(AccessKey),
  returns: 'The access keys.',
  examples: { response: [accessKey] },
  problems: ['application-not-found'],
})
