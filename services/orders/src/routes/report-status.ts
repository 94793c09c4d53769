import type { ReportStatus } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import { recordProgress } from '#/progress.ts'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

/** A restaurant reports how far it is; only forward, along the table of interface.md. */
export const reportStatus =
  (db: Db, conductor: Conductor): Handler<typeof ReportStatus> =>
  async ({ params: { apiKey }, body, principal }) => {
    const before = await readRestaurantOrder(db, principal, apiKey)
    const progress = await recordProgress(db, apiKey, () => body.status)
    if (progress === null)
      throw new Problem('invalid-transition', 'The order was cancelled: it moves no further.')
    if (progress.kind === 'impossible') throw new Problem('invalid-transition', progress.reason)
    if (progress.kind === 'unchanged') return before
    conductor.announce(apiKey)
    return readRestaurantOrder(db, principal, apiKey)
  }
