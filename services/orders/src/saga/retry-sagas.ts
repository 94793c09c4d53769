import type { Log } from '@platter/kit'
import { retryingCommand } from '#/saga/telemetry.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Stores } from '#/store/stores.ts'

const DUE_AT_ONCE = 50

type Deps = {
  sagas: Pick<Stores['sagas'], 'takeDue'>
  orchestrator: Pick<Orchestrator, 'apply'>
  log: Log
}

/** Republishes commands whose reply is overdue, and fails sagas past their deadline. Returns true if more may be due. */
export async function retrySagas({ sagas, orchestrator, log }: Deps): Promise<boolean> {
  const due = await sagas.takeDue(DUE_AT_ONCE)
  await Promise.all(
    due.map(({ order, saga, isExpired, isOverdue, traceparent }) =>
      retryingCommand({ saga, traceparent }, async () => {
        const { orderApiKey, attempt } = saga
        const kind = isExpired ? 'expired' : 'retried'
        const next = await orchestrator.apply(orderApiKey, { kind }, { order, saga })
        // A saga past its pivot cannot fail, so its command is republished.
        if (isOverdue && next?.saga === saga)
          log.error({ orderApiKey, attempt }, 'needs attention: a saga is past its deadline')
      }),
    ),
  )
  return due.length === DUE_AT_ONCE
}
