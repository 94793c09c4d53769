import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'
import { filledDigits, filledText } from '#/values.ts'
import { NewPassword } from '#/operations/register-user.ts'

/** docs/specification.md, "Endpoints": only the fields provided are updated; null and absent both mean not provided. */
export const UpdateUser = operation({
  name: 'update-user',
  summary: 'Update a user',
  method: 'POST',
  path: '/publicapi/v1/update-user/:apiKey',
  owner: 'accounts',
  admission: 'write',
  params: KeyInPath,
  body: z
    .preprocess(
      (value) => value ?? {},
      z.object({
        password: NewPassword.optional(),
        firstName: filledText(100).optional(),
        lastName: filledText(100).optional(),
        phone: filledDigits(30).optional(),
      }),
    )
    .meta({ id: 'UserUpdate' }),
  response: User,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'user-not-found'],
})
