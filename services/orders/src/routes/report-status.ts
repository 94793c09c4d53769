import type { ReportStatus } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import { recordProgress } from '#/progress.ts'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

type Needs = { db: Db; conductor: Conductor; acceptWithinMs: number }

/** A restaurant reports how far it is; only forward, along the table of interface.md. */
export const reportStatus =
  (needs: Needs): Handler<typeof ReportStatus> =>
  async ({ params: { apiKey }, body, principal }) => {
    const before = await readRestaurantOrder(needs, principal, apiKey)
    const progress = await recordProgress(needs.db, apiKey, () => body.status)
    if (progress === null)
      throw new Problem('invalid-transition', 'The order was cancelled: it moves no further.')
    if (progress.kind === 'impossible') throw new Problem('invalid-transition', progress.reason)
    if (progress.kind === 'unchanged') return before
    needs.conductor.announce(apiKey)
    return readRestaurantOrder(needs, principal, apiKey)
  }
