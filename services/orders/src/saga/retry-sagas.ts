import type { Log } from '@platter/kit'
import { retryingCommand } from '#/saga/telemetry.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import * as sagas from '#/store/sagas.ts'
import type { Db } from '#/store/tables.ts'

const DUE_AT_ONCE = 50

type Needs = { db: Db; orchestrator: Pick<Orchestrator, 'apply'>; log: Log }

/** Republishes commands whose reply is overdue, and fails sagas that are past their deadline. True when there may be more. */
export async function retrySagas({ db, orchestrator, log }: Needs): Promise<boolean> {
  const due = await sagas.takeDue(db, DUE_AT_ONCE)
  await Promise.all(
    due.map(({ order, saga, isExpired, traceparent }) =>
      retryingCommand({ saga, traceparent }, async () => {
        const { orderApiKey, attempt } = saga
        const kind = isExpired ? 'expired' : 'retried'
        const next = await orchestrator.apply(orderApiKey, { kind }, { order, saga })
        // Past the pivot nothing can be failed: the command is republished.
        if (isExpired && next?.saga === saga)
          log.error({ orderApiKey, attempt }, 'needs attention: a saga is past its deadline')
      }),
    ),
  )
  return due.length === DUE_AT_ONCE
}
