import { z } from 'zod'
import { findCardNumbers } from '#/card-number.ts'
import { guest, user } from '#/examples.ts'
import { personFields } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'
import { secret } from '#/secret.ts'
import { emailAddress } from '#/values.ts'

const hasNoCardNumber = (email: string): boolean => findCardNumbers(email).length === 0

/** Counts characters like JSON Schema: an emoji is one character, not two. */
const characters = (text: string): number => Array.from(text).length

/**
 * A new password. Some keyboards cannot repeat a control character. Half of a surrogate pair is hashed as U+FFFD, so all such
 * halves would be equal.
 */
export const NewPassword = secret(
  z
    .string()
    .refine((value) => characters(value) >= 8, 'is shorter than 8 characters')
    .refine((value) => characters(value) <= 128, 'is longer than 128 characters')
    .refine((value) => !/\p{Cc}/u.test(value), 'has a control character')
    .refine((value) => value.isWellFormed(), 'has half of a surrogate pair'),
  (password) => password,
).meta({
  description: '8 to 128 characters, none of the most common passwords. Only a hash of it is stored.',
  format: 'password',
  minLength: 8,
  maxLength: 128,
})

export const RegisterUser = operation({
  name: 'register-user',
  summary: 'Register a user',
  description:
    'Creates an account and makes the person a user of your application. An e-mail address has one account on the whole platform: if the address already has one, sign the person in instead.',
  method: 'POST',
  path: '/publicapi/v1/register-user',
  owner: 'accounts',
  admission: 'password',
  body: z
    .object({
      email: emailAddress()
        .refine((value) => z.email().safeParse(value).success, 'is not an e-mail address')
        .refine(hasNoCardNumber, 'has a card number')
        .meta({ format: 'email' }),
      password: NewPassword,
      ...personFields,
    })
    .meta({ id: 'NewUser' }),
  response: User,
  returns: 'The user. Other endpoints accept its `apiKey`.',
  examples: {
    bodies: {
      'A new user': { email: user.email, password: 'correct horse battery staple', ...guest },
    },
    response: { ...user, savedAddresses: [], creditCards: [] },
  },
  problems: ['email-taken'],
})
