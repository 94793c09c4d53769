import { ReportStatus } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { recordProgress } from '#/delivery/record-status.ts'
import { readRestaurantOrder } from '#/reading/find-restaurant-order.ts'
import type { Db } from '#/store/tables.ts'
import type { PendingRequests } from '#/saga/pending-requests.ts'

type Needs = { db: Db; pendingRequests: PendingRequests; acceptWithinMs: number }

/** A restaurant reports how far it is; only forward, along the table of docs/interface.md. */
export function reportStatus(needs: Needs): Handler<typeof ReportStatus> {
  const { execute } = idempotent(needs.db, ReportStatus)
  return async (call) => {
    const { apiKey } = call.params
    const answer = await execute(call, async (trx) => {
      const inTransaction = { ...needs, db: trx }
      const before = await readRestaurantOrder(inTransaction, call.principal, apiKey)
      const progress = await recordProgress(trx, apiKey, () => call.body.status)
      if (progress === null)
        throw new Problem('invalid-transition', 'The order was cancelled: it moves no further.')
      if (progress.kind === 'impossible') throw new Problem('invalid-transition', progress.reason)
      if (progress.kind === 'unchanged') return before
      return await readRestaurantOrder(inTransaction, call.principal, apiKey)
    })
    // An event is a hint: subscribers read the row, and find nothing new when nothing has moved.
    needs.pendingRequests.announce(apiKey)
    return answer
  }
}
