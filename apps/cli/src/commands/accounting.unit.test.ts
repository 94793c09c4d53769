import type { BalanceTransaction } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountRows, csvLine, totalsOf } from '#/commands/accounting.ts'

const payment: BalanceTransaction = {
  id: 'txn_1',
  kind: 'payment',
  orderApiKey: 'o1',
  charge: 'pi_1',
  amount: 25.45,
  fee: 1.04,
  date: 1_790_000_000,
}

const linesOf = (...transactions: BalanceTransaction[]) => accountRows(transactions).map(csvLine)

test('a payment and its fee are two rows', () => {
  expect(linesOf(payment)).toEqual([
    '2026-09-21T14:13:20.000Z,payment,o1,pi_1,txn_1,25.45',
    '2026-09-21T14:13:20.000Z,fee,o1,pi_1,txn_1,-1.04',
  ])
})

test('a refund is negative, and a fee without an order has empty cells for order and charge', () => {
  const refund: BalanceTransaction = { ...payment, id: 'txn_2', kind: 'refund', amount: -3, fee: 0 }
  const monthly: BalanceTransaction = {
    ...payment,
    id: 'txn_3',
    kind: 'fee',
    orderApiKey: null,
    charge: null,
    amount: 0,
    fee: 2,
  }
  expect(linesOf(refund, monthly)).toEqual([
    '2026-09-21T14:13:20.000Z,refund,o1,pi_1,txn_2,-3.00',
    '2026-09-21T14:13:20.000Z,fee,,,txn_3,-2.00',
  ])
})

const sum = (all: Iterable<number>) => [...all].reduce((total, one) => total + one, 0)

test('the amounts of any file add up to the totals, and to the change of the balance, to the cent', () => {
  const cents = fc.integer({ min: -100_000_000, max: 100_000_000 })
  const kinds = fc.constantFrom('payment', 'refund', 'dispute', 'dispute-reversal')
  const transactions = fc.array(fc.record({ kind: kinds, amount: cents, fee: cents }), { maxLength: 200 })
  fc.assert(
    fc.property(transactions, (some) => {
      const rows = accountRows(
        some.map(({ kind, amount, fee }) => ({ ...payment, kind, amount: amount / 100, fee: fee / 100 })),
      )
      const printed = rows.map((row) => Math.round(Number(csvLine(row).split(',').at(-1)) * 100))
      expect(sum(printed)).toBe(sum(some.map(({ amount, fee }) => amount - fee)))
      expect(sum(totalsOf(rows, new Map()).values())).toBe(sum(printed))
    }),
  )
})
