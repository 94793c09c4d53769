import { z } from 'zod'
import { command, event } from '#/message.ts'
import { RefusalShape } from '#/problem-document.ts'
import { ApiKey, PaymentAction, PaymentState } from '#/values.ts'

/**
 * Identifies the command of a saga's step, or (`undo`) of its compensation. `version` is the saga's at the time of publication: a
 * reply with an older one changes nothing. `attempt` counts the publications of this command.
 */
export const StepRef = z.object({
  orderApiKey: ApiKey,
  step: z.string(),
  undo: z.boolean(),
  version: z.int(),
  attempt: z.int(),
  /** Of the step `refund`: which one, because an order may have several. */
  refund: ApiKey.optional(),
  /** The command asks whether the customer has authenticated. */
  isAuthenticating: z.boolean().optional(),
})
export type StepRef = z.infer<typeof StepRef>

/**
 * The outcome of a step: done, or refused. While the outcome is unknown, a participant sends no reply. `authenticate` is not final:
 * the bank waits for the customer.
 */
export const Outcome = z.discriminatedUnion('kind', [
  /** `paymentState`: the payment's state after a release, voided or refunded; set by payments. */
  z.object({ kind: z.literal('done'), paymentState: PaymentState.optional() }),
  z.object({ kind: z.literal('refused'), refusal: RefusalShape }),
  z.object({ kind: z.literal('authenticate'), action: PaymentAction }),
])
export type Outcome = z.infer<typeof Outcome>

/** A participant's reply to a command. Replicas of different versions share its queue, so the queue keeps its first name. */
export const SagaReply = command('orders.saga-answer', 'orders', StepRef.extend({ outcome: Outcome }))
export type SagaReply = z.infer<typeof SagaReply.data>

/**
 * An order has changed: pending requests and event streams read its row. A failure has its `refusal`, so that a replica without
 * PostgreSQL responds with the failure. Without it the response would be a pending order that can never be read. A replica of the
 * version before sends no `restaurantApiKey`.
 */
export const OrderMoved = event(
  'orders.order-moved',
  'orders',
  z.object({ orderApiKey: ApiKey, restaurantApiKey: ApiKey.optional(), refusal: RefusalShape.optional() }),
)
export type OrderMoved = z.infer<typeof OrderMoved.data>
