import type { Bus, Received } from '@platter/bus'
import { SagaAnswer, StepRef, type Outcome } from '@platter/contracts'

/**
 * Makes a handler of a command out of what finds its outcome: answers the saga, or says nothing for null. An
 * answer that is lost is no loss: the saga asks again, and the row answers the same again.
 */
export const answering =
  (bus: Pick<Bus, 'publish'>) =>
  <C extends StepRef>(settled: (command: C) => Promise<Outcome | null>) =>
  async (command: C, { requestId }: Received): Promise<void> => {
    const outcome = await settled(command)
    if (outcome === null) return
    await bus.publish(SagaAnswer, { ...StepRef.parse(command), outcome }, { requestId })
  }
