import type { CreditCard } from '#/records.ts'

/** A month ends last at UTC-12, and nobody is refused on the last evening; the processor has the last word. */
const HOURS_BEHIND_UTC = 12

/** A card is good until its month is over everywhere. Two digits of a year are of this century. `now` in epoch milliseconds. */
export function hasExpired(
  card: Pick<CreditCard, 'expirationMonth' | 'expirationYear'>,
  now: number,
): boolean {
  // Date.UTC counts months from 0, so this is the first of the month after.
  return (
    now >= Date.UTC(2000 + Number(card.expirationYear), Number(card.expirationMonth), 1, HOURS_BEHIND_UTC)
  )
}
