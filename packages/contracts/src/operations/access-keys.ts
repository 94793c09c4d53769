import { z } from 'zod'
import { KeyInPath } from '../inputs.ts'
import { operation } from '../operation.ts'
import { ApiKey, Epoch } from '../values.ts'

/** The key itself is shown here and never again: only its hash is kept. */
export const IssuedAccessKey = z
  .object({
    id: ApiKey,
    accessKey: z.string().describe('To be sent in `X-Access-Token`.'),
    prefix: z.string().describe('How the key begins: enough to tell it from others.'),
    created: Epoch,
  })
  .meta({ id: 'IssuedAccessKey' })

const body = z
  .preprocess(
    (value) => value ?? {},
    z.object({
      mode: z
        .enum(['live', 'test'])
        .default('live')
        .describe('What the key begins with: `platter_live_` or `platter_test_`.'),
    }),
  )
  .meta({ id: 'NewAccessKey' })

/** Issues an access key of a client application. */
export const IssueAccessKey = operation({
  name: 'issue-access-key',
  summary: 'Issue an access key of a client application',
  method: 'POST',
  path: '/operatorapi/v1/applications/:id/access-keys',
  owner: 'accounts',
  params: z.object({ id: ApiKey }),
  body,
  response: IssuedAccessKey,
  problems: [
    'malformed-json',
    'not-json',
    'body-too-large',
    'application-not-found',
    'idempotency-in-flight',
    'idempotency-mismatch',
  ],
})

/** Issues an access key that is bound to one restaurant. */
export const IssueRestaurantAccessKey = operation({
  name: 'issue-restaurant-access-key',
  summary: 'Issue an access key of a restaurant',
  method: 'POST',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  owner: 'accounts',
  params: KeyInPath,
  body,
  response: IssuedAccessKey,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'idempotency-in-flight', 'idempotency-mismatch'],
})
