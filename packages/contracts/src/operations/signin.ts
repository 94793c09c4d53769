import { z } from 'zod'
import { user } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'
import { secret } from '#/secret.ts'
import { emailAddress } from '#/values.ts'

/**
 * Accepts a password that NewPassword rejects; it fails like any wrong password. Neither the text nor the duration of a failure
 * reveals whether the e-mail address has an account.
 */
const Credentials = z
  .object({
    email: emailAddress(),
    password: secret(z.string().min(1, 'is empty')).meta({ format: 'password' }),
  })
  .meta({ id: 'Credentials' })

export const Signin = operation({
  name: 'signin',
  summary: 'Sign a user in',
  description:
    'Finds a user by e-mail address and password, and makes the person a user of your application. A wrong password and an unknown e-mail address receive the same response.',
  method: 'POST',
  path: '/publicapi/v1/signin',
  owner: 'accounts',
  admission: 'password',
  body: Credentials,
  response: User,
  returns: 'The user.',
  examples: {
    bodies: { 'E-mail and password': { email: user.email, password: 'correct horse battery staple' } },
    response: user,
  },
  changesNothing: true,
  problems: ['invalid-credentials'],
})
