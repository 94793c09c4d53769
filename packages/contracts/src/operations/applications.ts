import { z } from 'zod'
import { application } from '#/examples.ts'
import { PageQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Application } from '#/operations/create-application.ts'

export const Applications = operation({
  name: 'applications',
  summary: 'Read the client applications',
  description: 'The client applications, newest first.',
  method: 'GET',
  path: '/operatorapi/v1/applications',
  owner: 'accounts',
  admission: 'priority',
  query: PageQuery,
  response: z.array(Application),
  returns: 'The applications.',
  examples: { response: [application] },
})
