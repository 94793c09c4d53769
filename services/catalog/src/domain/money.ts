import { toCents, type Cents, type Money } from '@platter/contracts'

/** Cents of an amount that its schema has checked. Throws a RangeError for one with more than two decimals. */
export function centsOf(amount: Money): Cents {
  const integer = toCents(amount)
  if (integer === null) throw new RangeError(`${amount} has more than two decimals`)
  return integer
}

/** As people read it: 1075 is "10.75". The currency is the restaurant's, and not known here. */
export const inWords = (amount: Cents): string => (amount / 100).toFixed(2)

/** The share of so many parts per million, rounded half up to a cent. Exact: 10^16 is more than a double counts. */
export function shareOf(amount: Cents, partsPerMillion: number): Cents {
  const millionths = BigInt(amount) * BigInt(partsPerMillion)
  return Number((millionths + 500_000n) / 1_000_000n) as Cents
}
