import { z } from 'zod'
import { IssuedAccessKey, newKeyMode } from '#/access-key.ts'
import { issuedAccessKey } from '#/examples.ts'
import { ApplicationInPath, optionalBody } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { secret } from '#/secret.ts'

/** ASCII without blanks, so that a header field and a query can contain it. Its fingerprint distinguishes two imports. */
const ExistingKey = secret(
  z
    .string()
    .regex(/^[\u0021-\u007e]{16,128}$/, 'is not 16 to 128 printable characters without blanks')
    .refine((key) => !/^platter_(?:live|test)_/.test(key), 'is a key of Platter: issue a new one'),
  (key) => key,
)

const NewApplicationAccessKey = optionalBody(
  z
    .object({
      mode: newKeyMode,
      key: ExistingKey.optional().describe(
        'An existing key to import, for applications that contain it and cannot be changed: 16 to 128 printable characters. Without it a new key is created. An imported key is live.',
      ),
    })
    .refine(({ mode, key }) => key === undefined || mode === 'live', {
      path: ['mode'],
      error: 'is live for a key that is imported',
    }),
).meta({ id: 'NewApplicationAccessKey' })

export const IssueAccessKey = operation({
  name: 'issue-access-key',
  summary: 'Issue or import an access key of a client application',
  description:
    'Creates an access key of a client application, or imports an existing one. Only its hash is stored, so this response is the only one that contains it.',
  method: 'POST',
  path: '/operatorapi/v1/applications/:id/access-keys',
  owner: 'accounts',
  admission: 'priority',
  params: ApplicationInPath,
  body: NewApplicationAccessKey,
  response: IssuedAccessKey,
  returns: 'The access key.',
  examples: {
    bodies: { 'For real orders': { mode: 'live' }, 'For a test environment': { mode: 'test' } },
    response: issuedAccessKey,
  },
  problems: ['application-not-found', 'access-key-taken'],
})
