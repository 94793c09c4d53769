import { Moment, type Reconciliation } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { disputeRecord } from '#/domain/order.ts'
import { reconcile, type Deps, type Position } from '#/operating/reconcile.ts'

const Cursor = z.object({
  after: z.object({ at: z.int().min(0), id: z.int() }),
  from: Moment,
  until: Moment,
})

/** Compares orders and deliveries with payments and with the processor's charges, which the payments service reads. */
export const reconciliation =
  (deps: Deps): Handler<typeof Reconciliation> =>
  async ({ query: { since, cursor }, requestId, deadline, url, setHeader }) => {
    const start = readCursor(cursor, Cursor) ?? beginning(since, await deps.reconciliation.now())
    const { counts, mismatches, disputes, next } = await reconcile(deps, start, { requestId, deadline })
    if (next) setHeader('link', nextPage(url, next))
    return {
      since,
      until: start.until,
      complete: next === null,
      counts,
      mismatches,
      disputes: disputes.map(({ orderApiKey, dispute }) => ({ orderApiKey, ...disputeRecord(dispute) })),
    }
  }

/** Starts at the first order of that second. Later orders belong to the next reconciliation. */
const beginning = (since: number, until: number): Position => ({
  after: { at: since * 1_000_000 - 1, id: 0 },
  from: since,
  until,
})
