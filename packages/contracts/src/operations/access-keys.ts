import { z } from 'zod'
import { KeyInPath, Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { KeyMode } from '#/principal.ts'
import { secret } from '#/secret.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** The key itself is shown here and never again: only its hash is kept. */
export const IssuedAccessKey = z
  .object({
    id: ApiKey,
    accessKey: z.string().describe('To be sent in `X-Access-Token`.'),
    prefix: z.string().describe('How the key begins: enough to tell it from others.'),
    created: Epoch,
  })
  .meta({ id: 'IssuedAccessKey' })

const newKey = {
  mode: KeyMode.default('live').describe(
    'What the key begins with: `platter_live_` or `platter_test_`. With a test key of an application every order is a test order, at test restaurants only.',
  ),
}

const body = z.preprocess((value) => value ?? {}, z.object(newKey)).meta({ id: 'NewAccessKey' })

/** ASCII without blanks: it has to pass in a header field and in a query. Its fingerprint tells two imports apart. */
const ExistingKey = secret(
  z
    .string()
    .regex(/^[\u0021-\u007e]{16,128}$/, 'is not 16 to 128 printable characters without blanks')
    .refine((key) => !/^platter_(?:live|test)_/.test(key), 'is a key of Platter: issue a new one'),
  (key) => key,
)

const applicationBody = z
  .preprocess(
    (value) => value ?? {},
    z
      .object({
        mode: newKey.mode,
        key: ExistingKey.optional().describe(
          'An existing key to import, compiled into applications that cannot be changed any more: 16 to 128 printable characters. Without it a new key is made. An imported key is live.',
        ),
      })
      .refine(({ mode, key }) => key === undefined || mode === 'live', {
        path: ['mode'],
        error: 'is live for a key that is imported',
      }),
  )
  .meta({ id: 'NewApplicationAccessKey' })

/** Issues an access key of a client application, or imports one that it has. */
export const IssueAccessKey = operation({
  name: 'issue-access-key',
  summary: 'Issue or import an access key of a client application',
  method: 'POST',
  path: '/operatorapi/v1/applications/:id/access-keys',
  owner: 'accounts',
  admission: 'priority',
  params: z.object({ id: ApiKey }),
  body: applicationBody,
  response: IssuedAccessKey,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'application-not-found', 'access-key-taken'],
})

/** Issues an access key that is bound to one restaurant. */
export const IssueRestaurantAccessKey = operation({
  name: 'issue-restaurant-access-key',
  summary: 'Issue an access key of a restaurant',
  method: 'POST',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  owner: 'accounts',
  admission: 'priority',
  params: KeyInPath,
  body,
  response: IssuedAccessKey,
  problems: ['malformed-json', 'not-json', 'body-too-large'],
})

/** Issues another access key of an operator, so that each person and each tool can have one of its own. */
export const IssueOperatorAccessKey = operation({
  name: 'issue-operator-access-key',
  summary: 'Issue an access key of an operator',
  method: 'POST',
  path: '/operatorapi/v1/access-keys',
  owner: 'accounts',
  admission: 'priority',
  body,
  response: IssuedAccessKey,
  problems: ['malformed-json', 'not-json', 'body-too-large'],
})

/** What may be told of an access key. The key itself is not kept. */
export const AccessKey = z
  .object({
    id: ApiKey,
    kind: z.enum(['application', 'restaurant', 'operator']).describe('Whom it lets in.'),
    prefix: z
      .string()
      .nullable()
      .describe('How the key begins; null for the operator key that came with the configuration.'),
    imported: z.boolean().describe('Whether another system made it.'),
    created: Epoch,
    lastUsed: Epoch.nullable().describe('To within a minute; null when it was never used.'),
    expires: Epoch.nullable().describe('From then on it lets nobody in; null when no end is set.'),
    revoked: Epoch.nullable().describe('Since then it lets nobody in; null when it was not revoked.'),
  })
  .meta({ id: 'AccessKey' })
export type AccessKey = z.infer<typeof AccessKey>

const list = {
  method: 'GET',
  owner: 'accounts',
  admission: 'priority',
  query: Page,
  response: z.array(AccessKey),
} as const

export const ApplicationAccessKeys = operation({
  ...list,
  name: 'application-access-keys',
  summary: 'Read the access keys of a client application',
  path: '/operatorapi/v1/applications/:id/access-keys',
  params: z.object({ id: ApiKey }),
  problems: ['application-not-found'],
})

export const RestaurantAccessKeys = operation({
  ...list,
  name: 'restaurant-access-keys',
  summary: 'Read the access keys of a restaurant',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  params: KeyInPath,
  problems: [],
})

export const OperatorAccessKeys = operation({
  ...list,
  name: 'operator-access-keys',
  summary: 'Read the access keys of operators',
  path: '/operatorapi/v1/access-keys',
  problems: [],
})

/** Ends an access key of any kind, at once. */
export const RevokeAccessKey = operation({
  name: 'revoke-access-key',
  summary: 'Revoke an access key',
  method: 'POST',
  path: '/operatorapi/v1/access-keys/:id/revoke',
  owner: 'accounts',
  admission: 'priority',
  params: z.object({ id: ApiKey }),
  response: AccessKey,
  problems: ['access-key-not-found', 'last-operator-key'],
})

/** Thirty days. */
const LONGEST_OVERLAP_MINUTES = 43_200

/** A new access key in the place of one of any kind; the old one goes on until the overlap ends. */
export const RotateAccessKey = operation({
  name: 'rotate-access-key',
  summary: 'Replace an access key',
  method: 'POST',
  path: '/operatorapi/v1/access-keys/:id/rotate',
  owner: 'accounts',
  admission: 'priority',
  params: z.object({ id: ApiKey }),
  body: z
    .preprocess(
      (value) => value ?? {},
      z.object({
        overlapMinutes: z
          .int()
          .min(0)
          .max(LONGEST_OVERLAP_MINUTES)
          .default(1_440)
          .describe(
            'How long the old key goes on: time to bring the new one to every place where the old one is.',
          ),
      }),
    )
    .meta({ id: 'Rotation' }),
  response: IssuedAccessKey.extend({
    replaces: AccessKey.describe('The old key, and when it ends.'),
  }).meta({ id: 'RotatedAccessKey' }),
  problems: ['malformed-json', 'not-json', 'body-too-large', 'access-key-not-found', 'access-key-ended'],
})
