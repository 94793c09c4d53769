import { cents } from '@platter/contracts'
import { refundedOf, type Authorization } from '../../../services/payments/src/domain/authorization.ts'
import type { RefundRow } from '../../../services/payments/src/domain/refund.ts'
import type { RefundStore } from '../../../services/payments/src/store/refunds.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

const read = (apiKey: string): RefundRow | null => {
  const { database, world } = simulation()
  const found = database.refunds.get(apiKey)
  return found ? { ...found.row, ageSeconds: Math.floor((world.now - found.sentAt) / 1000) } : null
}

/** The real store also omits the field for 0. */
const withRefunded = <Row extends Authorization>(row: Row, refunded: number): Row => ({
  ...row,
  refunded: refunded > 0 ? cents(refunded) : undefined,
})

function reserve(orderApiKey: string, amount: number): boolean {
  const found = simulation().database.authorizations.get(orderApiKey)
  if (found?.row.state !== 'captured' || found.row.releaseRequested) return false
  const refunded = refundedOf(found.row) + amount
  if (refunded > found.row.amount) return false
  found.row = withRefunded(found.row, refunded)
  return true
}

const end = (apiKey: string, change: Partial<RefundRow>) =>
  statement(`refund ${apiKey.slice(0, 4)} to ${change.state ?? 'pending'}`, () => {
    if (simulation().database.refunds.get(apiKey)?.row.state === 'sent') set(apiKey, change)
  })

/** Changes the row. A failure releases its reserved amount. */
function set(apiKey: string, change: Partial<RefundRow>): void {
  const { refunds, authorizations } = simulation().database
  const found = refunds.get(apiKey)
  if (!found || found.row.state === 'failed') return
  found.row = { ...found.row, ...change }
  const charged = authorizations.get(found.row.orderApiKey)
  if (change.state === 'failed' && charged && 'processorId' in charged.row)
    charged.row = withRefunded(charged.row, refundedOf(charged.row) - found.row.amount)
}

function takeBack(apiKey: string): void {
  const { refunds, authorizations } = simulation().database
  const found = refunds.get(apiKey)
  if (!found || found.row.state === 'failed') return
  set(apiKey, { state: 'failed', failureCode: 'refund_failed' })
  const charged = authorizations.get(found.row.orderApiKey)
  if (charged?.row.state === 'refunded' && !charged.row.releaseRequested)
    charged.row = { ...charged.row, state: 'captured' }
}

/** The rows of payments, with the conditions of `services/payments/src/store/refunds.ts`. */
export const refunds: RefundStore = {
  find: (apiKey) => statement(`refund ${apiKey.slice(0, 4)}`, () => read(apiKey)),

  sent: (orderApiKey) =>
    statement(`sent refunds of ${orderApiKey.slice(0, 4)}`, () =>
      [...simulation().database.refunds.values()]
        .map(({ row }) => row)
        .filter((row) => row.orderApiKey === orderApiKey && row.state === 'sent'),
    ),

  reserve: ({ apiKey, orderApiKey, amount }) =>
    statement(`reserve refund ${apiKey.slice(0, 4)}`, () => {
      const { database, world } = simulation()
      const known = read(apiKey)
      if (known) return known
      const isReserved = reserve(orderApiKey, amount)
      const row: RefundRow = {
        apiKey,
        orderApiKey,
        amount,
        state: isReserved ? 'sent' : 'failed',
        processorId: null,
        failureCode: isReserved ? null : 'too_large',
        ageSeconds: 0,
      }
      database.refunds.set(apiKey, { row, sentAt: world.now })
      return row
    }),

  markPending: (apiKey, processorId) => end(apiKey, { processorId }),
  markDone: (apiKey, processorId) => end(apiKey, { state: 'done', processorId }),
  markFailed: (apiKey, failureCode) => end(apiKey, { state: 'failed', failureCode }),

  markReturned: (apiKeys) => statement('refunds that failed later', () => apiKeys.forEach(takeBack)),

  settle: (orderApiKey) =>
    statement(`settle refunds of ${orderApiKey.slice(0, 4)}`, () => {
      const { authorizations, refunds: rows } = simulation().database
      const found = authorizations.get(orderApiKey)
      const isAnySent = [...rows.values()].some(
        ({ row }) => row.orderApiKey === orderApiKey && row.state === 'sent',
      )
      if (found?.row.state === 'captured' && refundedOf(found.row) === found.row.amount && !isAnySent)
        found.row = { ...found.row, state: 'refunded' }
    }),
}
