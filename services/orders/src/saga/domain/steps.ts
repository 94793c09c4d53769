import {
  AccountsSave,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRefund,
  PaymentsRelease,
  requestTimes,
  type Command,
  type PaymentState,
} from '@platter/contracts'
import type { PendingRefund, SendOrderFacts } from '#/domain/saga-row.ts'
import { authorizationOf } from '#/saga/domain/challenging.ts'

/** A command without its reference (order, step, version, attempt), which the transition adds. */
type Message = { command: Command; data: Record<string, unknown> }

type Participant = {
  /** Returns whether the order needs the step; other orders skip it. */
  isNeeded: (facts: SendOrderFacts) => boolean
  command: (facts: SendOrderFacts) => Message
  /** The payment state of the order after the step. The reply to a compensation has the state after it. */
  paymentState?: PaymentState
  /** If no reply arrives in this time, the command is republished. */
  replyTimeoutMs: number
  /** The command waits this time for others, so that they share a message. Only for a step for which no client waits. */
  batchDelayMs?: number
}

/**
 * Richardson's three kinds of steps. A refusal before or at the pivot compensates the completed steps; the commands after it are
 * republished until they succeed. The pivot has no command, because the delivery executes it (`delivery/deliverer.ts`). A refund is a
 * separate step after all others: an order may have any number of refunds, at any time after its capture.
 */
export type Step = { name: string } & (
  | ({ kind: 'compensatable'; compensation: (facts: SendOrderFacts) => Message } & Participant)
  | { kind: 'pivot' }
  | ({ kind: 'retriable' } & Participant)
  | ({ kind: 'refund' } & Omit<Participant, 'isNeeded'>)
)

export type OrderStep = Exclude<Step, { kind: 'refund' }>

const isCharged = ({ token }: SendOrderFacts) => token !== null
const hasSomethingToSave = ({ userApiKey, newCard, newAddress }: SendOrderFacts) =>
  userApiKey !== null && (newCard !== null || newAddress !== null)

/**
 * The steps of an order (docs/specification.md, "Endpoints": validate, charge, transmit). The validation precedes
 * commit 1 (`check-order.ts`). `transition.ts` decides the effect of each step.
 */
export const sendOrderSteps: readonly OrderStep[] = [
  {
    name: 'authorize',
    kind: 'compensatable',
    isNeeded: isCharged,
    command: (facts) => ({ command: PaymentsAuthorize, data: authorizationOf(facts) }),
    compensation: () => ({ command: PaymentsRelease, data: {} }),
    paymentState: 'AUTHORIZED',
    replyTimeoutMs: requestTimes.paymentReply,
  },
  { name: 'transmit', kind: 'pivot' },
  {
    name: 'capture',
    kind: 'retriable',
    isNeeded: isCharged,
    command: ({ total }) => ({ command: PaymentsCapture, data: { amount: total } }),
    paymentState: 'CHARGED',
    replyTimeoutMs: requestTimes.paymentReply,
    batchDelayMs: 100,
  },
  {
    name: 'save',
    kind: 'retriable',
    isNeeded: hasSomethingToSave,
    command: ({ userApiKey, newCard, newAddress }) => ({
      command: AccountsSave,
      data: { userApiKey, card: newCard, address: newAddress },
    }),
    replyTimeoutMs: requestTimes.saveReply,
  },
]

export const refundStep = ({ apiKey, amount }: PendingRefund): Step => ({
  name: 'refund',
  kind: 'refund',
  command: () => ({ command: PaymentsRefund, data: { refund: apiKey, amount } }),
  replyTimeoutMs: requestTimes.paymentReply,
})
