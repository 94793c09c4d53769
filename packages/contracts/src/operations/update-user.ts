import { z } from 'zod'
import { user } from '#/examples.ts'
import { UserInPath, optionalBody, personFields } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { NewPassword } from '#/operations/register-user.ts'
import { User } from '#/records.ts'

const UserUpdate = optionalBody(
  z.object({
    password: NewPassword.optional(),
    ...z.object(personFields).partial().shape,
  }),
).meta({ id: 'UserUpdate' })

export const UpdateUser = operation({
  name: 'update-user',
  summary: 'Update a user',
  description: 'Changes only the fields of the request. Null and an absent field both mean no change.',
  method: 'POST',
  path: '/publicapi/v1/update-user/:apiKey',
  owner: 'accounts',
  admission: 'write',
  params: UserInPath,
  body: UserUpdate,
  response: User,
  returns: 'The updated user.',
  examples: {
    bodies: {
      'A new phone number': { phone: '608-555-0177' },
      'A new password': { password: 'a longer horse battery staple' },
    },
    response: { ...user, phone: '608-555-0177' },
  },
  problems: ['user-not-found'],
})
