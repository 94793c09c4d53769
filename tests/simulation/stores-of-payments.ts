import { cents } from '@platter/contracts'
import type { CardStore as RealCardStore } from '../../services/accounts/src/store/cards.ts'
import { refundedOf, type Authorization } from '../../services/payments/src/domain/authorization.ts'
import type { RefundRow } from '../../services/payments/src/domain/refund.ts'
import type { RefundStore } from '../../services/payments/src/store/refunds.ts'
import { memoryAuthorizations } from '../../services/payments/src/testing/memory-authorizations.ts'
import type { Database, InMemoryStores } from './database.ts'
import { world } from './simulation.ts'

export type CardStore = Pick<RealCardStore, 'save'>

/** The stores of payments, with the conditions of the SQL statements, and the saved cards of accounts. */
export const paymentsStores = (database: Database): InMemoryStores => ({
  authorizations: memoryAuthorizations(database.authorizations, () => world.now),
  refunds: refundStore(database),
  cards: {
    async save(userApiKey, card) {
      const { cards } = database
      if (!cards.has(card.apiKey)) cards.set(card.apiKey, { ...card, userApiKey })
    },
  },
})

/** The real store also omits the field for 0. */
const withRefunded = <Row extends Authorization>(row: Row, refunded: number): Row => ({
  ...row,
  refunded: refunded > 0 ? cents(refunded) : undefined,
})

function refundStore({ refunds, authorizations }: Database): Partial<RefundStore> {
  const find = (apiKey: string): RefundRow | null => {
    const found = refunds.get(apiKey)
    return found ? { ...found.row, ageSeconds: Math.floor((world.now - found.sentAt) / 1000) } : null
  }

  const sent = (orderApiKey: string) =>
    [...refunds.values()]
      .map(({ row }) => row)
      .filter((row) => row.orderApiKey === orderApiKey && row.state === 'sent')

  function reserveAmount(orderApiKey: string, amount: number): boolean {
    const found = authorizations.get(orderApiKey)
    if (found?.row.state !== 'captured' || found.row.releaseRequested) return false
    const refunded = refundedOf(found.row) + amount
    if (refunded > found.row.amount) return false
    found.row = withRefunded(found.row, refunded)
    return true
  }

  /** Changes the row. A failure releases its reserved amount. */
  function changeSent(apiKey: string, changed: Partial<RefundRow>): void {
    const stored = refunds.get(apiKey)
    if (stored?.row.state !== 'sent') return
    stored.row = { ...stored.row, ...changed }
    const charged = authorizations.get(stored.row.orderApiKey)
    if (changed.state === 'failed' && charged && 'processorId' in charged.row)
      charged.row = withRefunded(charged.row, refundedOf(charged.row) - stored.row.amount)
  }

  return {
    find: async (apiKey) => find(apiKey),
    sent: async (orderApiKey) => sent(orderApiKey),
    async reserve({ apiKey, orderApiKey, amount }) {
      const known = find(apiKey)
      if (known) return known
      const isReserved = reserveAmount(orderApiKey, amount)
      const row: RefundRow = {
        apiKey,
        orderApiKey,
        amount,
        state: isReserved ? 'sent' : 'failed',
        processorId: null,
        failureCode: isReserved ? null : 'too_large',
        ageSeconds: 0,
      }
      refunds.set(apiKey, { row, sentAt: world.now })
      return row
    },
    mark: async (apiKey, state, processorId) =>
      changeSent(apiKey, { state: state === 'done' ? 'done' : 'sent', processorId }),
    markFailed: async (apiKey, failureCode) => changeSent(apiKey, { state: 'failed', failureCode }),
    async markWhollyRefunded(orderApiKey) {
      const found = authorizations.get(orderApiKey)
      if (found?.row.state !== 'captured' || refundedOf(found.row) !== found.row.amount) return
      if (sent(orderApiKey).length === 0) found.row = { ...found.row, state: 'refunded' }
    },
  }
}
