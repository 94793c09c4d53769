import type { SagaReply } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { handlingReply } from '#/saga/telemetry.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Deps = { orchestrator: Pick<Orchestrator, 'apply'>; log: Log }

/** Applies a participant's reply. A reply to any other command than the last one changes nothing. */
export const handleReply =
  ({ orchestrator, log }: Deps) =>
  (reply: SagaReply): Promise<void> =>
    handlingReply(reply, async () => {
      const { orderApiKey, step, undo: isCompensation, version, outcome, refund } = reply
      const replied = { kind: 'replied', step, isCompensation, version, outcome } as const
      const event = refund === undefined ? replied : { ...replied, refund }
      const applied = await orchestrator.apply(orderApiKey, event)
      if (!applied && outcome.kind === 'refused')
        log.warn({ orderApiKey, step }, 'an unexpected saga reply was ignored')
    })
