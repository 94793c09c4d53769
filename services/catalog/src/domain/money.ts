import { toCents, type Cents, type Money } from '@platter/contracts'

/** Returns the cents of an amount that its schema has checked. Throws a RangeError for more than two decimals. */
export function centsOf(amount: Money): Cents {
  const integer = toCents(amount)
  if (integer === null) throw new RangeError(`${amount} has more than two decimals`)
  return integer
}

/**
 * Returns a share of an amount in parts per million, rounded half up to a cent. BigInt, because products of 10^16 exceed the exact
 * integers of a double.
 */
export function shareOf(amount: Cents, partsPerMillion: number): Cents {
  const millionths = BigInt(amount) * BigInt(partsPerMillion)
  return Number((millionths + 500_000n) / 1_000_000n) as Cents
}
