import { z } from 'zod'
import { application } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch, filledText } from '#/values.ts'

export const Application = z
  .object({ id: ApiKey, name: z.string(), created: Epoch })
  .meta({ id: 'Application' })

export const CreateApplication = operation({
  name: 'create-application',
  summary: 'Create a client application',
  description: 'Creates a client application: the owner of users, orders and access keys.',
  method: 'POST',
  path: '/operatorapi/v1/applications',
  owner: 'accounts',
  admission: 'priority',
  body: z.object({ name: filledText(100) }).meta({ id: 'NewApplication' }),
  response: Application,
  returns: 'The application.',
  examples: { bodies: { 'An application': { name: application.name } }, response: application },
})
