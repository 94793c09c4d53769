import type { Refusal } from '@platter/contracts'

/** Said of another application's user in the very same words: whoever asks may not know that it exists. */
export const USER_NOT_FOUND: Refusal = { code: 'user-not-found', detail: 'There is no such user.' }

/** Why nothing was removed from an account. */
export type NotRemoved = 'no-such-user' | 'not-there'

export const CARD_NOT_REMOVED: Record<NotRemoved, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  'not-there': { code: 'card-not-found', detail: 'The user has no such card.' },
}

export const ADDRESS_NOT_REMOVED: Record<NotRemoved, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  'not-there': { code: 'address-not-found', detail: 'The user has no such address.' },
}

/** Said of a wrong password and of an e-mail that nobody has in the very same words. */
export const INVALID_CREDENTIALS: Refusal = {
  code: 'invalid-credentials',
  detail: 'E-mail and password do not match.',
}

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

const COMMON = 'password is one of the most used ones, which are tried first by whoever guesses.'
export const COMMON_PASSWORD: Refusal = {
  code: 'invalid-field',
  detail: COMMON,
  faults: [{ pointer: '/password', code: 'invalid-field', detail: COMMON }],
}

export const ACCESS_KEY_NOT_FOUND: Refusal = {
  code: 'access-key-not-found',
  detail: 'There is no such access key.',
}

export const LAST_OPERATOR_KEY: Refusal = {
  code: 'last-operator-key',
  detail:
    'This is the last access key of an operator without an end: nobody could issue another one. Issue or rotate one first.',
}

export const ACCESS_KEY_ENDED: Refusal = {
  code: 'access-key-ended',
  detail: 'The access key is revoked or expired: nobody uses it. Issue a new one.',
}
