import { z } from 'zod'
import { Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch, filledText } from '#/values.ts'

export const Application = z
  .object({ id: ApiKey, name: z.string(), created: Epoch })
  .meta({ id: 'Application' })

/** A client application: what users, orders and access keys belong to. */
export const CreateApplication = operation({
  name: 'create-application',
  summary: 'Create a client application',
  method: 'POST',
  path: '/operatorapi/v1/applications',
  owner: 'accounts',
  admission: 'priority',
  body: z.object({ name: filledText(100) }).meta({ id: 'NewApplication' }),
  response: Application,
  problems: ['malformed-json', 'not-json', 'body-too-large'],
})

export const Applications = operation({
  name: 'applications',
  summary: 'Read the client applications',
  method: 'GET',
  path: '/operatorapi/v1/applications',
  owner: 'accounts',
  admission: 'priority',
  query: Page,
  response: z.array(Application),
  problems: [],
})
