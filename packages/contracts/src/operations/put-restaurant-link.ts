import { z } from 'zod'
import { RestaurantInPath, ValidateOnly } from '#/inputs.ts'
import { operation } from '#/operation.ts'

const reports = z
  .enum(['detailed', 'coarse'])
  .default('detailed')
  .describe(
    'Whether the restaurant reports each step, or `PREPARING_AND_DELIVERING` for all steps in between.',
  )

/** How orders reach a restaurant (docs/interface.md, "Restaurant interface"). */
export const RestaurantLink = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('webhook'),
        url: z
          .url({ protocol: /^https?$/, error: 'is not a URL that begins with https:// or http://' })
          .max(500)
          .describe(
            'Target of the POST with the order: https, a public address, no user name. The configuration can allow http and other networks.',
          ),
        secret: z
          .string()
          .regex(
            /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
            'is not a secret of Standard Webhooks: whsec_ and the base64 of 24 to 64 bytes',
          )
          .describe('A secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes.'),
        reports,
      })
      .meta({ id: 'WebhookLink', description: "The restaurant's own system, by signed webhooks." }),
    z
      .object({ kind: z.literal('console'), reports })
      .meta({ id: 'ConsoleLink', description: "The restaurant's web page." }),
  ])
  .meta({ id: 'RestaurantLink' })
export type RestaurantLink = z.output<typeof RestaurantLink>

export const PutRestaurantLink = operation({
  name: 'put-restaurant-link',
  summary: 'Set how orders reach a restaurant',
  description:
    'Replaces the restaurant link: how orders reach the restaurant. No response contains the secret. With `validate-only` nothing is stored.',
  method: 'PUT',
  path: '/operatorapi/v1/restaurants/:apiKey/link',
  owner: 'orders',
  admission: 'priority',
  params: RestaurantInPath,
  query: ValidateOnly,
  body: RestaurantLink,
  response: z.object({ kind: z.string(), reports }),
  returns: 'The kind of link.',
  examples: {
    bodies: {
      'A webhook': {
        kind: 'webhook',
        url: 'https://kitchen.example.org/orders',
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
        reports: 'coarse',
      },
      'The web page': { kind: 'console' },
    },
    response: { kind: 'webhook', reports: 'coarse' },
  },
})
