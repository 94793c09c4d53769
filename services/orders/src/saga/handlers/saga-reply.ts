import type { SagaReply } from '@platter/contracts'
import type { Context } from '@platter/bus'
import type { Log } from '@platter/kit'
import { handlingReply } from '#/saga/telemetry.ts'
import type { Recheck } from '#/saga/recheck.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'

type Deps = { orchestrator: Pick<Orchestrator, 'apply'>; recheck: Recheck; log: Log }

/** Applies a participant's reply. A reply with an earlier version changes nothing, unless it is the result of a pending refund. */
export const handleReply =
  ({ orchestrator, recheck, log }: Deps) =>
  (reply: SagaReply, { requestId }: Context): Promise<void> =>
    handlingReply(reply, async () => {
      const { orderApiKey, step, undo: isCompensation, version, outcome, refund } = reply
      const replied = { kind: 'replied', step, isCompensation, version, outcome } as const
      const endsChallenge = reply.isAuthenticating === true && outcome.kind !== 'authenticate'
      // A restaurant may have closed while the customer was at the bank.
      const refused = endsChallenge && outcome.kind === 'done' ? await recheck(orderApiKey, requestId) : null
      if (refused === 'unknown') return
      const event = {
        ...replied,
        ...(refund !== undefined && { refund }),
        ...(endsChallenge && { challenge: { recheck: refused } }),
      }
      const applied = await orchestrator.apply(orderApiKey, event)
      if (!applied && outcome.kind === 'refused')
        log.warn({ orderApiKey, step }, 'an unexpected saga reply was ignored')
    })
