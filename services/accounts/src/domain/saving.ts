import type { NewAddressFields, NewCardFields, Saving } from '@platter/contracts'

type Texts<F> = Record<keyof F, string | null>

/**
 * What to do with a new card or address of an order, among those of the user. The order itself goes on in any case: a
 * full account is no reason to refuse a meal.
 */
export function savingOf<F extends object>(
  fresh: F & Texts<F>,
  saved: readonly (Texts<F> & { apiKey: string | null })[],
  max: number,
): Saving {
  const same = saved.find((one) => isSame(fresh, one))
  if (same && same.apiKey !== null) return { kind: 'saved', apiKey: same.apiKey }
  return { kind: saved.length < max ? 'room' : 'full' }
}

const isSame = <F extends object>(fresh: F & Texts<F>, saved: Texts<F>): boolean =>
  (Object.keys(fresh) as (keyof F)[]).every((field) => normalized(fresh[field]) === normalized(saved[field]))

/** Case, spaces and the ways in which Unicode writes one character do not tell two records apart; null is empty. */
const normalized = (text: string | null): string =>
  (text ?? '').normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

export const addressFields = ({ streetAddress, aptNumber, city, state, zip }: NewAddressFields) => ({
  streetAddress,
  aptNumber,
  city,
  state,
  zip,
})

/**
 * All by which a person can tell two saved cards apart. The number itself is unknown here, and no trace of it is kept to
 * recognise it by: two cards of one holder with the same last four digits and the same month of expiry count as one.
 */
export const cardFields = (card: NewCardFields) => ({
  cardholderName: card.cardholderName,
  cardholderStreetAddress: card.cardholderStreetAddress,
  cardholderZip: card.cardholderZip,
  lastFour: card.lastFour,
  expirationMonth: card.expirationMonth,
  expirationYear: card.expirationYear,
})
