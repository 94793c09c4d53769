import type { DeadLetter } from '@platter/bus'
import { StepRef, type Command } from '@platter/contracts'
import { retryUntilSuccess, type Log } from '@platter/kit'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'incidents'> & { log: Log; stopping: AbortSignal }

/** The bus logs the error together with the request. */
const REASON = 'Its data is invalid, or its handler failed: see the log.'

/** A command that is not of a step has no `step`. */
const Reference = StepRef.pick({ orderApiKey: true }).extend({
  step: StepRef.shape.step.nullable().default(null),
})

/** Stores a dead letter for an operator. Retries until it is stored, because RabbitMQ delivers it only once per connection. */
export const storeDeadLetter =
  ({ incidents, log, stopping }: Deps, { name: command }: Command) =>
  async ({ content, requestId }: DeadLetter): Promise<void> => {
    const { orderApiKey, step } = readReference(content)
    const letter = { command, orderApiKey, step, content, requestId, reason: REASON }
    await retryUntilSuccess('store a dead letter', () => incidents.storeDeadLetter(letter), log, stopping)
    if (stopping.aborted) throw new Error('stopped before a dead letter was stored')
    log.error(
      { command, orderApiKey, step, requestId, reason: REASON },
      'needs attention: a message could not be handled',
    )
  }

function readReference(content: Buffer): { orderApiKey: string | null; step: string | null } {
  try {
    return Reference.parse(JSON.parse(content.toString()))
  } catch {
    // The bytes are stored even if they cannot be parsed.
    return { orderApiKey: null, step: null }
  }
}
