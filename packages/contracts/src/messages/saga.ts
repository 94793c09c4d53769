import { z } from 'zod'
import { command, event } from '#/message.ts'
import { RefusalShape } from '#/problem-document.ts'
import { ApiKey, PaymentAction, PaymentState } from '#/values.ts'

/**
 * Identifies the command of a saga's step, or (`undo`) of its compensation. `version` is the saga's version at publication; a reply
 * with an older version changes nothing, unless it is the reply to a refund. `attempt` counts the publications of this command.
 */
export const StepRef = z.object({
  orderApiKey: ApiKey,
  step: z.string(),
  undo: z.boolean(),
  version: z.int(),
  attempt: z.int(),
  /** For the step `refund`: the refund, because an order may have several. */
  refund: ApiKey.optional(),
  /** The command queries whether the customer has authenticated. */
  isAuthenticating: z.boolean().optional(),
})
export type StepRef = z.infer<typeof StepRef>

/**
 * The outcome of a step: done or refused. A participant sends no reply while the outcome is unknown. `authenticate` is not final:
 * the bank awaits the customer's authentication.
 */
export const Outcome = z.discriminatedUnion('kind', [
  /** The payment's state after a release: voided or refunded. Set by payments. */
  z.object({ kind: z.literal('done'), paymentState: PaymentState.optional() }),
  z.object({ kind: z.literal('refused'), refusal: RefusalShape }),
  z.object({ kind: z.literal('authenticate'), action: PaymentAction }),
])
export type Outcome = z.infer<typeof Outcome>

/** A participant's reply to a command. Replicas of different versions share the queue, so it keeps its original name. */
export const SagaReply = command('orders.saga-answer', StepRef.extend({ outcome: Outcome }))
export type SagaReply = z.infer<typeof SagaReply.data>

/**
 * An order has changed; pending requests and event streams read its row. A failure includes its `refusal`, so that a replica
 * without PostgreSQL can respond with it. Otherwise the response would be a pending order that can never be read. Replicas of the
 * previous version send no `restaurantApiKey`.
 */
export const OrderMoved = event(
  'orders.order-moved',
  z.object({ orderApiKey: ApiKey, restaurantApiKey: ApiKey.optional(), refusal: RefusalShape.optional() }),
)
export type OrderMoved = z.infer<typeof OrderMoved.data>
