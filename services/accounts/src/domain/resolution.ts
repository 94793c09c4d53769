import type { AccountsResolve, Fault } from '@platter/contracts'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'

/** The apiKeys in an order; null for a part without one. */
type References = Pick<
  ReturnType<typeof AccountsResolve.data.parse>,
  'recipientApiKey' | 'cardApiKey' | 'addressApiKey'
>

export type Found = Omit<ReturnType<typeof AccountsResolve.reply.parse>, 'faults'>

export const NOTHING_FOUND: Found = {
  recipient: null,
  card: null,
  address: null,
  newCard: null,
  newAddress: null,
}

/** Returns a fault for each apiKey without a record, with its pointer into the body of send-order. */
export function notFound(references: References, found: Found): Fault[] {
  const faults: Fault[] = []
  if (references.recipientApiKey !== null && !found.recipient) {
    faults.push({ ...USER_NOT_FOUND, pointer: '/recipient/apiKey' })
  }
  if (references.cardApiKey !== null && !found.card) {
    const detail = 'There is no such card of the recipient.'
    faults.push({ pointer: '/card/apiKey', code: 'card-not-found', detail })
  }
  if (references.addressApiKey !== null && !found.address) {
    const detail = 'There is no such address of the recipient.'
    faults.push({ pointer: '/address/apiKey', code: 'address-not-found', detail })
  }
  return faults
}
