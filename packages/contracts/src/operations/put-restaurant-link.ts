import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'

const reports = z
  .enum(['detailed', 'coarse'])
  .default('detailed')
  .describe(
    'Whether the restaurant reports each step, or coarsely: `PREPARING_AND_DELIVERING` for all between.',
  )

/** How orders reach a restaurant (docs/interface.md, "Restaurant interface"). */
export const RestaurantLink = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('webhook'),
        url: z
          .url({ protocol: /^https?$/ })
          .max(500)
          .describe(
            'Where the order is sent with POST: https, to public addresses, without a user name. Other networks, and http, where the installation allows them.',
          ),
        secret: z
          .string()
          .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'is not a Standard Webhooks secret')
          .describe('Of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes.'),
        reports,
      })
      .meta({ id: 'WebhookLink', description: "The restaurant's own system, by signed webhooks." }),
    z
      .object({ kind: z.literal('console'), reports })
      .meta({ id: 'ConsoleLink', description: "The restaurant's web page." }),
  ])
  .meta({ id: 'RestaurantLink' })
export type RestaurantLink = z.output<typeof RestaurantLink>

/** Says how orders reach a restaurant. The answer never has the secret. */
export const PutRestaurantLink = operation({
  name: 'put-restaurant-link',
  summary: 'Say how orders reach a restaurant',
  method: 'PUT',
  path: '/operatorapi/v1/restaurants/:apiKey/link',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  body: RestaurantLink,
  response: z.object({ kind: z.string(), reports }),
  problems: ['malformed-json', 'not-json', 'body-too-large'],
})
