import type { SagaAnswer } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { handlingReply } from '#/saga-telemetry.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Needs = { orchestrator: Pick<Orchestrator, 'apply'>; log: Log }

/** Applies a participant's reply. A reply to anything but the command that was published last changes nothing. */
export const handleReply =
  ({ orchestrator, log }: Needs) =>
  (reply: SagaAnswer): Promise<void> =>
    handlingReply(reply, async () => {
      const { orderApiKey, step, outcome } = reply
      const applied = await orchestrator.apply(orderApiKey, { kind: 'replied', ...reply })
      if (!applied && outcome.kind === 'refused')
        log.warn({ orderApiKey, step }, 'an unexpected saga reply was ignored')
    })
