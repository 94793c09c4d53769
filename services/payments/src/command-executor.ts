import { epochSeconds, type Outcome } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { expiresOf, nextStep, type Authorization, type Call, type Command } from '#/domain/authorization.ts'
import { isCardDecline } from '#/domain/declines.ts'
import { interpretCheck, interpretEffect, interpretLookup } from '#/domain/processor-result.ts'
import type { Processor } from '#/outside/processor.ts'
import type { AuthorizationStore, Moved } from '#/store/authorizations.ts'
import type { CardLimits } from '#/store/card-limits.ts'

export type ExecuteCommand = ReturnType<typeof commandExecutor>

/** A state that needs an operator. The bus logs it and moves the command to the dead letters. */
export class IncidentError extends Error {}

type Calls = Pick<Processor, 'authorize' | 'capture' | 'void' | 'refund' | 'find' | 'check'>
type Deps = {
  authorizations: Pick<AuthorizationStore, 'move' | 'recordUnknown'>
  processor: Calls
  limits: Pick<CardLimits, 'countDeclineOfToken'>
  log: Log
}

/**
 * Returns the function that moves an authorization to the state that its command, or a release requested in the meantime, requires.
 * It returns the outcome for the saga; null if the outcome is unknown, so that the saga repeats the command.
 *
 * Any number of replicas may execute commands of one order concurrently. Each writes only facts from the processor, and only if the
 * row still has the expected state. A late replica continues from the current row. The idempotency key makes a call effective once.
 */
export function commandExecutor({ authorizations, processor, limits, log }: Deps) {
  /** Counts a decline of a card, once: by the command that stored it, after its commit. The declined order does not wait for it. */
  function countDecline({ row, isMoved }: Moved): void {
    if (!isMoved || row.state !== 'declined' || !isCardDecline(row.refusal)) return
    limits
      .countDeclineOfToken(row.token)
      .catch((error: unknown) => log.warn({ err: error }, 'a declined card was not counted'))
  }

  return async function execute(command: Command, row: Authorization): Promise<Outcome | null> {
    const { orderApiKey, state } = row
    const step = nextStep(command, row)
    if (step.kind === 'reply') return step.outcome
    if (step.kind === 'incident')
      throw new IncidentError(`${command.kind} of order ${orderApiKey}: ${step.reason}`)
    if (step.kind === 'stale') {
      log.warn({ orderApiKey, command: command.kind, reason: step.reason }, 'stale command ignored')
      return null
    }
    const { kind: call } = step.call
    const result = await callProcessor(processor, step.call, row)
    if (result.kind === 'incident')
      throw new IncidentError(`${call} of order ${orderApiKey}: ${result.reason}`)
    if (result.kind === 'unknown') {
      const { reason, needsOperator } = result
      log[needsOperator ? 'error' : 'warn'](
        { orderApiKey, state, call, reason },
        'the outcome of a call is unknown; the saga repeats the command',
      )
      await authorizations.recordUnknown({ row, call, reason })
      return null
    }
    if (result.kind === 'moved' && result.difference !== undefined)
      log.error({ orderApiKey, call, reason: result.difference }, 'the result differs from the request')
    // Also for a row that is challenged already: its outcome is no longer unknown.
    const { row: moved, isMoved } = await authorizations.move(row, result.change)
    if (result.kind === 'challenged') {
      if (moved.state !== 'challenged' || moved.releaseRequested) return execute(command, moved)
      const expires = expiresOf(moved, epochSeconds())
      return { kind: 'authenticate', action: { ...result.action, expires } }
    }
    countDecline({ row: moved, isMoved })
    return execute(command, moved)
  }
}

async function callProcessor(processor: Calls, call: Call, row: Authorization) {
  // An order that was released before it was sent has no token, and no call exists for it.
  const token = row.state === 'released' ? '' : row.token
  const lookUp = async (refused?: string) => {
    if (row.state !== 'challenged')
      return interpretLookup(row, await processor.find({ reference: row.orderApiKey, token }), refused)
    const { processorId: id, authentication } = row
    return interpretCheck(row, await processor.check({ id, authentication }), refused)
  }
  if (call.kind === 'find' || call.kind === 'check') return lookUp()
  const result = interpretEffect(row, call.kind, await effectOf(processor, call))
  return result.kind === 'look-up' ? lookUp(result.refused) : result
}

function effectOf(processor: Calls, call: Exclude<Call, { kind: 'find' | 'check' }>) {
  if (call.kind === 'authorize') return processor.authorize(call)
  if (call.kind === 'capture') return processor.capture(call)
  return call.kind === 'refund' ? processor.refund(call) : processor.void(call)
}
