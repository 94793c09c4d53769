import type { DetachCard } from '@platter/contracts'
import { Problem, type Handler, type Log } from '@platter/kit'
import type { Processor } from '#/outside/processor.ts'

type Deps = { processor: Pick<Processor, 'detach'>; log: Log }

/** Accounts repeats the request until the outcome is known. */
export const detachCard =
  ({ processor, log }: Deps): Handler<typeof DetachCard> =>
  async ({ body: { token }, requestId }) => {
    const result = await processor.detach({ token })
    if (result.kind !== 'unknown') return { detached: result.kind === 'yes' }
    log.warn({ requestId, reason: result.reason }, 'a removed card was not detached')
    throw new Problem('payment-unavailable', 'The payment processor is unavailable. Retry the request.')
  }
