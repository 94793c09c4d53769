import {
  AccountsSave,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRefund,
  PaymentsRelease,
  requestTimes,
  type Command,
} from '@platter/contracts'
import type { PendingRefund, SendOrderFacts } from '#/domain/saga-row.ts'
import { authorizationOf } from '#/saga/domain/challenging.ts'

/** A command without its reference (order, step, version, attempt). The transition adds it. */
type Message = { command: Command; data: Record<string, unknown> }

type Participant = {
  /** Other orders skip the step. */
  isNeeded: (facts: SendOrderFacts) => boolean
  command: (facts: SendOrderFacts) => Message
  /** The command is republished when no reply has arrived in this time. */
  replyTimeoutMs: number
  /** The command may wait for others for this time, to share a message. */
  gatherMs?: number
}

/**
 * Richardson's three kinds of steps. A refusal before or at the pivot compensates the completed steps; the commands after it are
 * republished until they succeed. The pivot has no command, because its work is the delivery (`delivery/deliver.ts`).
 */
export type Step = { name: string } & (
  | ({ kind: 'compensatable'; compensation: (facts: SendOrderFacts) => Message } & Participant)
  | { kind: 'pivot' }
  | ({ kind: 'retriable' } & Participant)
)

const compensatable = (
  name: string,
  step: Omit<Extract<Step, { kind: 'compensatable' }>, 'name' | 'kind'>,
): Step => ({ kind: 'compensatable', name, ...step })
const pivot = (name: string): Step => ({ kind: 'pivot', name })
const retriable = (name: string, step: Participant): Step => ({ kind: 'retriable', name, ...step })

/** Throws for steps in another order than compensatable, one pivot, retriable. */
export function checkSteps(steps: readonly Step[]): readonly Step[] {
  const kinds = steps.map(({ kind }) => kind).join(' ')
  if (!/^(compensatable )*pivot( retriable)*$/.test(kinds)) throw new Error(`not a saga: ${kinds}`)
  return steps
}

const isCharged = ({ token }: SendOrderFacts) => token !== null
const hasSomethingToSave = ({ userApiKey, newCard, newAddress }: SendOrderFacts) =>
  userApiKey !== null && (newCard !== null || newAddress !== null)

/**
 * The steps of an accepted order (docs/specification.md, "Endpoints": validate, charge, transmit). Validation precedes the acceptance
 * (`check-order.ts`). `transition.ts` decides what each step changes.
 */
export const sendOrderSteps = checkSteps([
  compensatable('authorize', {
    isNeeded: isCharged,
    command: (facts) => ({ command: PaymentsAuthorize, data: authorizationOf(facts) }),
    compensation: () => ({ command: PaymentsRelease, data: {} }),
    replyTimeoutMs: requestTimes.paymentReply,
  }),
  pivot('transmit'),
  retriable('capture', {
    isNeeded: isCharged,
    command: ({ total }) => ({ command: PaymentsCapture, data: { amount: total } }),
    replyTimeoutMs: requestTimes.paymentReply,
    gatherMs: 100,
  }),
  retriable('save', {
    isNeeded: hasSomethingToSave,
    command: ({ userApiKey, newCard, newAddress }) => ({
      command: AccountsSave,
      data: { userApiKey, card: newCard, address: newAddress },
    }),
    replyTimeoutMs: requestTimes.saveReply,
  }),
])

/** A refund is a step for itself, after all others: an order has any number of them, at any time after its capture. */
export const refundStep = {
  kind: 'refund',
  name: 'refund',
  command: ({ apiKey, amount }: PendingRefund): Message => ({
    command: PaymentsRefund,
    data: { refund: apiKey, amount },
  }),
  replyTimeoutMs: requestTimes.paymentReply,
} as const
