import { accessKey } from '#/examples.ts'
import { ApplicationInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { OperatorAccessKeys } from '#/operations/operator-access-keys.ts'

export const ApplicationAccessKeys = operation({
  ...OperatorAccessKeys,
  name: 'application-access-keys',
  summary: 'Read the access keys of a client application',
  description: 'The access keys of a client application, newest first, including expired and revoked ones.',
  path: '/operatorapi/v1/applications/:id/access-keys',
  params: ApplicationInPath,
  examples: { response: [accessKey] },
  problems: ['application-not-found'],
})
