import type { Bus, Received } from '@platter/bus'
import { SagaReply, StepRef, type Outcome } from '@platter/contracts'

/**
 * Makes the handler of a command out of `settle`, which brings about its outcome: publishes the outcome to the saga, and
 * nothing for null. A reply that is lost is repeated when the saga repeats the command.
 *
 * A command that is repeated while the first one is being handled here is dropped: the reply to the first answers both,
 * because it carries the same version of the saga. Between replicas, the row and the processor's idempotency key guard.
 */
export function commandHandler<C extends StepRef>(
  bus: Pick<Bus, 'publish'>,
  settle: (command: C) => Promise<Outcome | null>,
) {
  const inProgress = new Set<string>()
  return async (command: C, { requestId }: Pick<Received, 'requestId'>): Promise<void> => {
    const { orderApiKey, version } = command
    const key = `${orderApiKey} ${version}`
    if (inProgress.has(key)) return
    inProgress.add(key)
    try {
      const outcome = await settle(command)
      if (outcome === null) return
      await bus.publish(SagaReply, { ...StepRef.parse(command), outcome }, { requestId })
    } finally {
      inProgress.delete(key)
    }
  }
}
