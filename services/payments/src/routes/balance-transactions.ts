import { cents, toMoney, type BalanceTransactions } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { successOf, type BalanceTransaction, type ProcessorReads } from '#/outside/processor.ts'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'

type Deps = {
  reads: Pick<ProcessorReads, 'balanceTransactions'>
  mirrors: Pick<ChargeMirrorStore, 'ordersOf'>
  /** Epoch seconds. */
  now: () => number
}

const Cursor = z.object({ until: z.int(), after: z.string().max(100) })

export const balanceTransactions =
  ({ reads, mirrors, now }: Deps): Handler<typeof BalanceTransactions> =>
  async ({ query, url, setHeader }) => {
    const position = readCursor(query.cursor, Cursor) ?? { until: query.until ?? now(), after: null }
    const { until } = position
    const page = successOf(
      await reads.balanceTransactions({ from: query.since, to: until, after: position.after }),
    )
    if (page.after !== null) setHeader('link', nextPage(url, { until, after: page.after }))
    const orders = await mirrors.ordersOf(chargesWithoutOrder(page.balanceTransactions))
    const transactions = page.balanceTransactions.map(({ reference, at, ...one }) => ({
      ...one,
      orderApiKey: reference ?? orders.get(one.charge ?? '') ?? null,
      amount: toMoney(cents(one.amount)),
      fee: toMoney(cents(one.fee)),
      date: at,
    }))
    return { since: query.since, until, transactions }
  }

/** Returns the charges of transactions without an order. A refund or dispute has a mirror, which identifies the order. */
const chargesWithoutOrder = (all: readonly BalanceTransaction[]): string[] => [
  ...new Set(all.flatMap(({ charge, reference }) => (charge !== null && !reference ? [charge] : []))),
]
