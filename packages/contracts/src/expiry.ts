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

/** Returns the expiry of a new card: the processor's value, otherwise the client's. Empty if neither is known. */
export const expiryOf = (processor: Expiry, client: Expiry) => ({
  expirationMonth: processor.expirationMonth ?? client.expirationMonth ?? '',
  expirationYear: processor.expirationYear ?? client.expirationYear ?? '',
})
