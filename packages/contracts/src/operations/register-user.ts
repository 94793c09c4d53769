import { z } from 'zod'
import { findCardNumbers } from '#/card-number.ts'
import { operation } from '#/operation.ts'
import { User } from '#/records.ts'
import { secret } from '#/secret.ts'
import { emailAddress, filledDigits, filledText } from '#/values.ts'

const hasNoCardNumber = (email: string): boolean => findCardNumbers(email).length === 0

/** As JSON Schema counts them: an emoji is one, at least. */
const characters = (text: string): number => Array.from(text).length

/**
 * A password to be set. Control characters cannot be typed again everywhere, and halves of surrogate pairs
 * all become the same U+FFFD when they are hashed.
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
  description: '8 to 128 characters, none of the most used ones. Only a hash of it is kept.',
  format: 'password',
  minLength: 8,
  maxLength: 128,
})

/** Registers a person as a user of the calling application. */
export const RegisterUser = operation({
  name: 'register-user',
  summary: 'Register a user',
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
      firstName: filledText(100),
      lastName: filledText(100),
      phone: filledDigits(30),
    })
    .meta({ id: 'NewUser' }),
  response: User,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'email-taken'],
})
