import {
  brandOf,
  newCardRecord,
  type AccountsResolve,
  type Address,
  type OrderRequest,
  type Point,
  type Recipient,
  type Saving,
} from '@platter/contracts'
import type { OrderCard } from '#/domain/order.ts'

/* The recipient, the card and the address of an order request. */

type NewAddress = Extract<OrderRequest['address'], { saved: false }>

/**
 * An order request. A new address has city, state and ZIP code. `point`: the position by which catalog completed it, which decides
 * its zone as that of a saved address does; null for an address that the client sent complete.
 */
export type CompleteOrder = Omit<OrderRequest, 'address'> & {
  address?:
    | Extract<OrderRequest['address'], { saved: true }>
    | (NewAddress & { city: string; state: string; zip: string; point: Point | null })
    | undefined
}

/** Returns the data of the question accounts.resolve. For a guest, no new card or address is saved. */
export function resolveQuestionOf(request: CompleteOrder) {
  const { recipient, card, address } = request
  return {
    recipientApiKey: recipient.guest ? null : recipient.apiKey,
    cardApiKey: card?.saved ? card.apiKey : null,
    addressApiKey: address?.saved ? address.apiKey : null,
    newCard: recipient.guest ? null : newCardOf(request, null),
    newAddress: recipient.guest ? null : newAddressOf(request),
  }
}

/** Returns the recipient of a guest's order; null for a user. */
export function guestOf({ recipient }: CompleteOrder): Recipient | null {
  if (!recipient.guest) return null
  const { firstName, lastName, phone, email } = recipient
  return { firstName, lastName, phone, email: email ?? null }
}

/**
 * Returns the firstName, lastName and phone of the request, which override those of the saved user (docs/specification.md, "Order
 * requests").
 */
export function recipientOverrides({ firstName, lastName, phone }: OrderRequest['recipient']) {
  return {
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(phone !== undefined && { phone }),
  }
}

/** Returns the new address; null for a saved address or none. */
export function newAddressOf({ address }: CompleteOrder, saving: Saving | null = null): Address | null {
  if (!address || address.saved) return null
  const { streetAddress, aptNumber, city, state, zip, point } = address
  return {
    apiKey: savedKey(saving),
    streetAddress,
    aptNumber: aptNumber ?? null,
    city,
    state,
    zip,
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
  }
}

type Resolved = Pick<ReturnType<typeof AccountsResolve.reply.parse>, 'card' | 'newCard'>

/** Returns the card as the order stores and shows it. */
export function cardOf(request: CompleteOrder, { card: saved, newCard: saving }: Resolved): OrderCard | null {
  if (!request.card?.saved) return newCardOf(request, saving)
  if (!saved) return null
  const { token: _, ...shown } = saved
  return shown
}

/**
 * Returns a new card with its last four digits and brand, without its number. Null for a processor token, because its card is
 * unknown.
 */
function newCardOf({ card }: CompleteOrder, saving: Saving | null): OrderCard | null {
  if (!card || card.saved || !card.cardNumber) return null
  const number = card.cardNumber.reveal()
  const known = { lastFour: number.slice(-4), brand: brandOf(number) }
  return { ...newCardRecord(card, known), apiKey: savedKey(saving) }
}

/** Returns the apiKey of the saved record that equals a new one; null without one. */
export const savedKey = (saving: Saving | null): string | null =>
  saving?.kind === 'saved' ? saving.apiKey : null
