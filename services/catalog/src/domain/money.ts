import { toCents, type Cents, type Money } from '@platter/contracts'

/** Cents of an amount that its schema has checked. Throws a RangeError for more than two decimals. */
export function centsOf(amount: Money): Cents {
  const integer = toCents(amount)
  if (integer === null) throw new RangeError(`${amount} has more than two decimals`)
  return integer
}

/** Decimal notation: 1075 is "10.75". Without a currency, which is the restaurant's and is not stored. */
export const decimal = (amount: Cents): string => (amount / 100).toFixed(2)

/** Parts per million of an amount, rounded half up to a cent. In bigint, because products of 10^16 exceed the integers of a double. */
export function shareOf(amount: Cents, partsPerMillion: number): Cents {
  const millionths = BigInt(amount) * BigInt(partsPerMillion)
  return Number((millionths + 500_000n) / 1_000_000n) as Cents
}
