import { z } from 'zod'
import { AccessKey, IssuedAccessKey } from '#/access-key.ts'
import { accessKey, issuedAccessKey } from '#/examples.ts'
import { AccessKeyInPath, optionalBody } from '#/inputs.ts'
import { operation } from '#/operation.ts'

/** Thirty days. */
export const MAX_OVERLAP_MINUTES = 43_200

const Rotation = optionalBody(
  z.object({
    overlapMinutes: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_MINUTES)
      .default(1_440)
      .describe('How long the old key stays valid: the time to replace it in every place that uses it.'),
  }),
).meta({ id: 'Rotation' })

export const RotateAccessKey = operation({
  name: 'rotate-access-key',
  summary: 'Replace an access key',
  description:
    'Creates a new access key for the same owner. Only this response contains it. The old key stays valid for `overlapMinutes` (a day by default, 0 ends it at once), so a replacement needs no downtime. Both keys count as one caller: they share their `Idempotency-Key`s and the rate limit.',
  method: 'POST',
  path: '/operatorapi/v1/access-keys/:id/rotate',
  owner: 'accounts',
  admission: 'priority',
  params: AccessKeyInPath,
  body: Rotation,
  response: IssuedAccessKey.extend({
    replaces: AccessKey.describe('The old key, and when it expires.'),
  }).meta({ id: 'RotatedAccessKey' }),
  returns: 'The new access key, and when the old one expires.',
  examples: {
    bodies: { 'A day to change': { overlapMinutes: 1440 }, 'At once': { overlapMinutes: 0 } },
    response: { ...issuedAccessKey, replaces: { ...accessKey, expires: 1795286400 } },
  },
  problems: ['access-key-not-found', 'access-key-ended'],
})
