import type { Refusal } from '@platter/contracts'

/** Also returned for a user of another application: the response must not reveal that the user exists. */
export const USER_NOT_FOUND: Refusal = { code: 'user-not-found', detail: 'There is no such user.' }

/**
 * The maximum number of cards and addresses per user (docs/interface.md, "Limits"). Beyond it, a card or address of an order is not
 * saved.
 */
export const MAX_CARDS = 20
export const MAX_ADDRESSES = 50

/** The reason why a card or an address was not added. */
export type NotAdded = 'no-such-user' | 'full'

const full = (records: string, max: number): Refusal => ({
  code: 'too-many-saved',
  detail: `The account already has ${max} ${records}. Remove one first.`,
})

export const CARD_NOT_ADDED: Record<NotAdded, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  full: full('cards', MAX_CARDS),
}

export const ADDRESS_NOT_ADDED: Record<NotAdded, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  full: full('addresses', MAX_ADDRESSES),
}

/** The reason why a card or an address was not removed. */
export type NotRemoved = 'no-such-user' | 'not-found'

export const CARD_NOT_REMOVED: Record<NotRemoved, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  'not-found': { code: 'card-not-found', detail: 'The user has no such card.' },
}

export const ADDRESS_NOT_REMOVED: Record<NotRemoved, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  'not-found': { code: 'address-not-found', detail: 'The user has no such address.' },
}

/** Identical for a wrong password and for an e-mail address without a user. */
export const INVALID_CREDENTIALS: Refusal = {
  code: 'invalid-credentials',
  detail: 'E-mail and password do not match.',
}

export const APPLICATION_NOT_FOUND: Refusal = {
  code: 'application-not-found',
  detail: 'There is no such application.',
}

/** Returns a refusal because of one field of the body. */
const ofField = (field: string, code: Refusal['code'], detail: string): Refusal => ({
  code,
  detail,
  faults: [{ pointer: `/${field}`, code, detail }],
})

export const EMAIL_TAKEN = ofField('email', 'email-taken', 'The e-mail address belongs to a registered user.')

export const COMMON_PASSWORD = ofField(
  'password',
  'invalid-field',
  'password is one of the most used passwords. Choose another one.',
)

export const ACCESS_KEY_NOT_FOUND: Refusal = {
  code: 'access-key-not-found',
  detail: 'There is no such access key.',
}

export const LAST_OPERATOR_KEY: Refusal = {
  code: 'last-operator-key',
  detail:
    'This is the last operator access key without an expiry. Issue or rotate one first: only an operator can issue access keys.',
}

export const ACCESS_KEY_ENDED: Refusal = {
  code: 'access-key-ended',
  detail: 'The access key is revoked or expired. Issue a new one.',
}
