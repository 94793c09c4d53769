import type { Refusal } from '@platter/contracts'

/** Also for a user of another application: the response must not reveal that the user exists. */
export const USER_NOT_FOUND: Refusal = { code: 'user-not-found', detail: 'There is no such user.' }

/**
 * The maximum number of cards and addresses per user (docs/interface.md, "Limits"). Beyond it, a card or address of an order is not
 * saved.
 */
export const MAX_CARDS = 20
export const MAX_ADDRESSES = 50

export const tooManySaved = (records: 'cards' | 'addresses', max: number): Refusal => ({
  code: 'too-many-saved',
  detail: `The account already has ${max} ${records}. Remove one first.`,
})
