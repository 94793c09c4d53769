import { z } from 'zod'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'
import { secret } from '#/secret.ts'
import { emailAddress } from '#/values.ts'

/**
 * Finds a user by e-mail and password, and makes the person a user of the calling application. A wrong pair
 * is told neither by words nor by time whether the e-mail exists; that a password could never have been set
 * is no reason to answer otherwise.
 */
export const Signin = operation({
  name: 'signin',
  summary: 'Sign a user in',
  method: 'POST',
  path: '/publicapi/v1/signin',
  owner: 'accounts',
  admission: 'password',
  body: z
    .object({
      email: emailAddress(),
      password: secret(z.string().min(1, 'is empty')).meta({ format: 'password' }),
    })
    .meta({ id: 'Credentials' }),
  response: User,
  changesNothing: true,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'invalid-credentials'],
})
