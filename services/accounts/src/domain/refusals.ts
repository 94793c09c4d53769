import type { Refusal } from '@platter/contracts'

/** Said of another application's user in the very same words: whoever asks may not know that it exists. */
export const USER_NOT_FOUND: Refusal = { code: 'user-not-found', detail: 'There is no such user.' }

export const APPLICATION_NOT_FOUND: Refusal = {
  code: 'application-not-found',
  detail: 'There is no such application.',
}

const TAKEN = 'The e-mail address belongs to a registered user.'
export const EMAIL_TAKEN: Refusal = {
  code: 'email-taken',
  detail: TAKEN,
  faults: [{ pointer: '/email', code: 'email-taken', detail: TAKEN }],
}
