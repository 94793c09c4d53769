import type { Command, StepRef } from '@platter/contracts'
import type { Saga, SendOrderFacts } from '#/domain/saga-row.ts'
import { isChallenged } from '#/saga/domain/challenging.ts'
import { refundStep, sendOrderSteps, type OrderStep, type Step } from '#/saga/domain/steps.ts'

/** A command, ready to be published. */
export type Publication = {
  command: Command
  data: StepRef & Record<string, unknown>
  replyTimeoutMs: number
  batchDelayMs: number
}

type Awaited = { step: Step; isCompensation: boolean }

/**
 * Returns the awaited step. Forward, it is a pending refund, otherwise the first step that is not completed; backward, the last one
 * that is not compensated, afterwards a pending refund. Null at the end. A refund follows the capture, so only `save` waits for it:
 * a save that always fails would keep the customer's money. Pending refunds take turns by attempt, newest first, because one may
 * stay pending at the processor for days.
 */
export function awaitedStep({
  facts,
  state,
  attempt = 1,
}: Pick<Saga, 'facts' | 'state'> & { attempt?: number }): Awaited | null {
  const { done, undone, refusal, refunds = [] } = state
  const step = refusal
    ? sendOrderSteps.findLast(
        ({ name, kind }) => kind === 'compensatable' && done.includes(name) && !undone.includes(name),
      )
    : sendOrderSteps.find((one) => isNeeded(one, facts) && !done.includes(one.name))
  const refund = refunds.at(-1 - ((attempt - 1) % Math.max(1, refunds.length)))
  if (step && (refusal || !refund)) return { step, isCompensation: refusal !== null }
  return refund ? { step: refundStep(refund), isCompensation: false } : null
}

const isNeeded = (step: OrderStep, facts: SendOrderFacts) => step.kind === 'pivot' || step.isNeeded(facts)

/** Returns the command of the awaited step; null during a delivery. */
export function publicationOf(saga: Saga, { step, isCompensation }: Awaited): Publication | null {
  if (step.kind === 'pivot') return null
  const { orderApiKey, version, attempt, facts } = saga
  const isCompensated = isCompensation && step.kind === 'compensatable'
  const message = isCompensated ? step.compensation(facts) : step.command(facts)
  const isAuthenticating = isChallenged(saga.state)
  const ref = {
    orderApiKey,
    step: step.name,
    undo: isCompensation,
    version,
    attempt,
    ...(isAuthenticating && { isAuthenticating }),
  }
  const { replyTimeoutMs, batchDelayMs = 0 } = step
  return { command: message.command, data: { ...message.data, ...ref }, replyTimeoutMs, batchDelayMs }
}
