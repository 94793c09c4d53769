import { cents as centsOf, formatAmount, toCents, isoTime, type BalanceTransaction } from '@platter/contracts'

export const HEAD = ['date', 'kind', 'order', 'charge', 'id', 'amount'] as const

/** A row of the accountant's file; `cents` is the change of the balance. */
type AccountRow = Omit<BalanceTransaction, 'amount' | 'fee'> & { cents: number }

/** Returns one row for each payment, refund, dispute and fee. The sum of all rows is exactly the change of the balance. */
export function accountRows(transactions: readonly BalanceTransaction[]): AccountRow[] {
  return transactions.flatMap(({ amount, fee, ...one }) => {
    const [gross, kept] = [exactCents(amount), exactCents(fee)]
    const own: AccountRow[] = one.kind === 'fee' ? [] : [{ ...one, cents: gross }]
    return kept === 0 ? own : [...own, { ...one, kind: 'fee', cents: -kept }]
  })
}

/** Returns one line of CSV. No cell needs quotes or begins a formula: order keys are hexadecimal, and processor ids are words. */
export const csvLine = ({ date, kind, orderApiKey, charge, id, cents }: AccountRow): string =>
  [isoTime(date), kind, orderApiKey ?? '', charge ?? '', id, formatAmount(centsOf(cents))].join(',')

function exactCents(amount: number): number {
  const exact = toCents(amount)
  if (exact === null) throw new Error(`${amount} is not an amount with two decimals`)
  return exact
}

/** Returns the sums in cents by kind, in the order of the first row of each. */
export function totalsOf(
  rows: readonly AccountRow[],
  before: ReadonlyMap<string, number>,
): Map<string, number> {
  const totals = new Map(before)
  for (const { kind, cents } of rows) totals.set(kind, (totals.get(kind) ?? 0) + cents)
  return totals
}
