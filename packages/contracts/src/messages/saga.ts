import { z } from 'zod'
import { command, nudge } from '../message.ts'
import { problems, type ProblemCode, type Refusal } from '../problems.ts'
import { ApiKey, PaymentState } from '../values.ts'

const Code = z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]])

export const FaultShape = z.object({ pointer: z.string(), code: Code, detail: z.string() })

export const RefusalShape: z.ZodType<Refusal> = z.object({
  code: Code,
  detail: z.string(),
  faults: z.array(FaultShape).optional(),
  declineCode: z.string().optional(),
}) as z.ZodType<Refusal>

/**
 * Which step of which order a command is about. `version` is the saga's when it was sent: an answer that
 * carries an older one changes nothing. `attempt` counts how often this command was said again.
 */
export const StepRef = z.object({
  orderApiKey: ApiKey,
  step: z.string(),
  undo: z.boolean(),
  version: z.int(),
  attempt: z.int(),
})
export type StepRef = z.infer<typeof StepRef>

/** A participant answers only what it knows: done, or refused for good. An unknown outcome is no answer. */
export const Outcome = z.discriminatedUnion('kind', [
  /** `paymentState`: where a release left the payment, which only payments know: voided or refunded. */
  z.object({ kind: z.literal('done'), paymentState: PaymentState.optional() }),
  z.object({ kind: z.literal('refused'), refusal: RefusalShape }),
])
export type Outcome = z.infer<typeof Outcome>

/** What came of a step; from a participant to the saga. */
export const SagaAnswer = command('orders.saga-answer', 'orders', StepRef.extend({ outcome: Outcome }))
export type SagaAnswer = z.infer<typeof SagaAnswer.data>

/** An order moved: whoever waits for it should read its row. */
export const OrderMoved = nudge('orders.order-moved', 'orders', z.object({ orderApiKey: ApiKey }))
