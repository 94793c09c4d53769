import type { Refusal } from '@platter/contracts'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'

/** A user's, and of how many (docs/interface.md, "Limits"). Of orders too: what is beyond is not saved. */
export const MAX_CARDS = 20
export const MAX_ADDRESSES = 50

/** Why an account takes no other card or address. */
export type NoRoom = 'no-such-user' | 'full'

const full = (what: string, max: number): Refusal => ({
  code: 'too-many-saved',
  detail: `The account has ${max} ${what} already. Remove one first.`,
})

export const NO_ROOM_FOR_CARD: Record<NoRoom, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  full: full('cards', MAX_CARDS),
}

export const NO_ROOM_FOR_ADDRESS: Record<NoRoom, Refusal> = {
  'no-such-user': USER_NOT_FOUND,
  full: full('addresses', MAX_ADDRESSES),
}
