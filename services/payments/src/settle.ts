import type { Outcome } from '@platter/contracts'
import type { Log } from '@platter/kit'
import { next, type Authorization, type Call, type Command } from '#/domain/authorization.ts'
import { learn, learnFound } from '#/domain/learn.ts'
import type { Processor } from '#/outside/processor.ts'
import type { Authorizations } from '#/store/authorizations.ts'

export type Settle = ReturnType<typeof createSettle>

/** Something that only a person can put right. The bus logs it and puts the message among the dead letters. */
export class NeedsPerson extends Error {}

type Parts = { authorizations: Pick<Authorizations, 'move' | 'noteUnknown'>; processor: Processor; log: Log }

/**
 * Brings an order's authorization to where its command, and a release that was asked for meanwhile, want it.
 * Gives the answer for the saga; null when there is none: the outcome is unknown and the saga asks again.
 *
 * Any number of replicas may do this for the same order at once. What each writes is a fact that it learnt
 * from the processor, written only onto the state that it was learnt for; who comes too late reads the row
 * and goes on from there. The processor does each thing once, by its idempotency key.
 */
export function createSettle({ authorizations, processor, log }: Parts) {
  return async function settle(command: Command, row: Authorization): Promise<Outcome | null> {
    const { orderApiKey, state } = row
    const step = next(command, row)
    if (step.kind === 'answer') return step.outcome
    if (step.kind === 'mistake')
      throw new NeedsPerson(`${command.kind} of order ${orderApiKey}: ${step.reason}`)
    if (step.kind === 'silence') {
      log.warn({ orderApiKey, command: command.kind, reason: step.reason }, 'a late command was not answered')
      return null
    }
    const { move } = step.call
    const learnt = await ask(processor, step.call, row)
    if (learnt.kind === 'mistake') throw new NeedsPerson(`${move} of order ${orderApiKey}: ${learnt.reason}`)
    if (learnt.kind === 'unknown') {
      const level = learnt.alarm ? 'error' : 'warn'
      log[level](
        { orderApiKey, state, move, reason: learnt.reason },
        'the outcome is unknown; the saga asks again',
      )
      await authorizations.noteUnknown(row, { call: move, reason: learnt.reason })
      return null
    }
    if (learnt.alarm !== undefined)
      log.error({ orderApiKey, move, reason: learnt.alarm }, 'it is not what was asked for')
    return settle(command, await authorizations.move(row, learnt.change))
  }
}

async function ask(processor: Processor, call: Call, row: Authorization) {
  // An order that was released before it was ever sent has no token, and nothing is asked about it.
  const token = row.state === 'released' ? '' : row.token
  const lookUp = async (refused?: string) =>
    learnFound(row, await processor.find({ reference: row.orderApiKey, token }), refused)
  if (call.move === 'find') return lookUp()
  const learnt = learn(row, call.move, await effect(processor, call))
  return learnt.kind === 'look-up' ? lookUp(learnt.refused) : learnt
}

function effect(processor: Processor, call: Exclude<Call, { move: 'find' }>) {
  if (call.move === 'authorize') return processor.authorize(call)
  if (call.move === 'capture') return processor.capture(call)
  if (call.move === 'refund') return processor.refund(call)
  return processor.void(call)
}
