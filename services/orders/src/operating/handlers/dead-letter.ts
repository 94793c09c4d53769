import type { DeadLetter } from '@platter/bus'
import { StepRef, type Command } from '@platter/contracts'
import { retryUntilSuccess, type Log } from '@platter/kit'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'incidents'> & { log: Log; stopping: AbortSignal }

const About = StepRef.pick({ orderApiKey: true, step: true })

/** Keeps a dead letter for a person; tries until it is kept, for RabbitMQ shows it but once a connection. */
export const keepLetter =
  ({ incidents, log, stopping }: Deps, { name: command }: Command) =>
  async ({ content, requestId, reason }: DeadLetter): Promise<void> => {
    const { orderApiKey, step } = aboutWhat(content)
    const letter = { command, orderApiKey, step, content, requestId, reason }
    await retryUntilSuccess('store a dead letter', () => incidents.storeDeadLetter(letter), log, stopping)
    if (stopping.aborted) throw new Error('stopped before a dead letter was surely kept')
    log.error(
      { command, orderApiKey, step, requestId, reason },
      'needs attention: a message could not be handled',
    )
  }

function aboutWhat(content: Buffer): { orderApiKey: string | null; step: string | null } {
  try {
    return About.parse(JSON.parse(content.toString()))
  } catch {
    // Whatever cannot be read is kept as it is.
    return { orderApiKey: null, step: null }
  }
}
