import { z } from 'zod'
import { optionalBody } from '#/inputs.ts'
import { KeyMode } from '#/principal.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** The only response that contains the access key. Only the hash of the key is stored. */
export const IssuedAccessKey = z
  .object({
    id: ApiKey,
    accessKey: z.string().describe('For the header `X-Access-Token`.'),
    prefix: z.string().describe('The first characters of the key, to distinguish it from others.'),
    created: Epoch,
  })
  .meta({ id: 'IssuedAccessKey' })

export const newKeyMode = KeyMode.default('live').describe(
  'The key begins with `platter_live_` or `platter_test_`. With a test key of an application every order is a test order, at test restaurants only.',
)

export const NewAccessKey = optionalBody(z.object({ mode: newKeyMode })).meta({ id: 'NewAccessKey' })

/** The record of an access key. The key itself is not stored. */
export const AccessKey = z
  .object({
    id: ApiKey,
    kind: z.enum(['application', 'restaurant', 'operator']).describe('The kind of its owner.'),
    prefix: z
      .string()
      .nullable()
      .describe('The first characters of the key; null for the operator key of the configuration.'),
    imported: z.boolean().describe('Whether the key was created by another system.'),
    created: Epoch,
    lastUsed: Epoch.nullable().describe('To within a minute; null when the key was never used.'),
    expires: Epoch.nullable().describe('The key is rejected from then on; null when it does not expire.'),
    revoked: Epoch.nullable().describe('The key is rejected since then; null when it was not revoked.'),
  })
  .meta({ id: 'AccessKey' })
export type AccessKey = z.infer<typeof AccessKey>
