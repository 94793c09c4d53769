import type { NewCard } from '#/inputs.ts'
import type { Fault } from '#/problem-document.ts'
import type { CreditCard } from '#/records.ts'

/** A month ends last at UTC-12. A card must not be refused on its last evening; the processor checks the expiry too. */
const HOURS_BEHIND_UTC = 12

/** Returns whether the card's month is over in every time zone. The year is in this century. `now` is in epoch milliseconds. */
export function hasExpired(
  card: Pick<CreditCard, 'expirationMonth' | 'expirationYear'>,
  now: number,
): boolean {
  // Date.UTC counts months from 0, so this is the first day of the next month.
  return (
    now >= Date.UTC(2000 + Number(card.expirationYear), Number(card.expirationMonth), 1, HOURS_BEHIND_UTC)
  )
}

type Expiry = { expirationMonth?: string | undefined; expirationYear?: string | undefined }

/** Returns a fault at each pointer if the card has expired. The processor checks a card whose expiry is unknown. */
export function expiryFaults(card: Expiry | null, pointers: readonly string[], now: number): Fault[] {
  const { expirationMonth, expirationYear } = card ?? {}
  if (!expirationMonth || !expirationYear || !hasExpired({ expirationMonth, expirationYear }, now)) return []
  const detail = `The card expired at the end of ${expirationMonth}/${expirationYear}.`
  return pointers.map((pointer) => ({ pointer, code: 'card-expired', detail }))
}

type Known = Pick<CreditCard, 'lastFour' | 'brand'> & Expiry

/**
 * Returns the record of a new card by its known details: from its number, or from the processor, whose expiry takes precedence over
 * the client's. An unknown expiry is empty.
 */
export const newCardRecord = (card: NewCard, known: Known): Omit<CreditCard, 'apiKey'> => ({
  nickname: card.nickname ?? null,
  cardholderName: card.cardholderName,
  cardholderStreetAddress: card.cardholderStreetAddress,
  cardholderZip: card.cardholderZip,
  lastFour: known.lastFour,
  expirationMonth: known.expirationMonth ?? card.expirationMonth ?? '',
  expirationYear: known.expirationYear ?? card.expirationYear ?? '',
  brand: known.brand,
})
