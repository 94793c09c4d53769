import type { Address, Fault, Recipient, Saving, TokenizedCard } from '@platter/contracts'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'

/** The keys of an order; null asks for nothing. */
export type Asked = {
  recipientApiKey: string | null
  cardApiKey: string | null
  addressApiKey: string | null
}

export type Found = {
  recipient: Recipient | null
  card: TokenizedCard | null
  address: Address | null
  newCard: Saving | null
  newAddress: Saving | null
}

export const NOTHING_FOUND: Found = {
  recipient: null,
  card: null,
  address: null,
  newCard: null,
  newAddress: null,
}

/** Whatever was asked for and is not there, with pointers into the body of send-order. */
export function notFound(asked: Asked, found: Found): Fault[] {
  const faults: Fault[] = []
  if (asked.recipientApiKey !== null && !found.recipient) {
    faults.push({ ...USER_NOT_FOUND, pointer: '/recipient/apiKey' })
  }
  if (asked.cardApiKey !== null && !found.card) {
    faults.push({
      pointer: '/card/apiKey',
      code: 'card-not-found',
      detail: 'There is no such card of the recipient.',
    })
  }
  if (asked.addressApiKey !== null && !found.address) {
    const detail = 'There is no such address of the recipient.'
    faults.push({ pointer: '/address/apiKey', code: 'address-not-found', detail })
  }
  return faults
}
