import type { Bus, Context } from '@platter/bus'
import { SagaReply, StepRef, type Outcome } from '@platter/contracts'

/**
 * Returns the bus handler of a command. It publishes the outcome that `execute` returns to the saga, and nothing for null. A lost
 * reply is repeated when the saga repeats the command.
 *
 * If a command is repeated while this replica executes the first one, it is dropped: the reply to the first has the same version of
 * the saga. Between replicas, the row and the processor's idempotency key prevent a second effect.
 */
export function commandHandler<C extends StepRef>(
  bus: Pick<Bus, 'publish'>,
  execute: (command: C) => Promise<Outcome | null>,
) {
  const inProgress = new Set<string>()
  return async (command: C, { requestId }: Context): Promise<void> => {
    const { orderApiKey, version, refund = '' } = command
    // The commands of several pending refunds have the same version.
    const key = `${orderApiKey} ${version} ${refund}`
    if (inProgress.has(key)) return
    inProgress.add(key)
    try {
      const outcome = await execute(command)
      if (outcome === null) return
      await bus.publish(SagaReply, { ...StepRef.parse(command), outcome }, { requestId })
    } finally {
      inProgress.delete(key)
    }
  }
}
