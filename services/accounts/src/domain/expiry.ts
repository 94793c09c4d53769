import { hasExpired, type CreditCard, type Fault } from '@platter/contracts'

type Expiry = Pick<CreditCard, 'expirationMonth' | 'expirationYear'>

/** The faults of an expired card, at month and year: either may be mistyped. */
export function expiryFaults(card: Expiry, now: number): Fault[] {
  if (!hasExpired(card, now)) return []
  const detail = `The card expired at the end of ${card.expirationMonth}/${card.expirationYear}.`
  return ['/expirationMonth', '/expirationYear'].map((pointer) => ({ pointer, code: 'card-expired', detail }))
}
