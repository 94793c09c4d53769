import { z } from 'zod'
import { PaymentRow } from '#/internal/read-payment-rows.ts'
import { internalOperation } from '#/operation.ts'
import { Dispute } from '#/records.ts'
import { ApiKey, Epoch, Money } from '#/values.ts'

/** The payment of one order, for an operator. It never contains a token. */
export const PaymentStory = z
  .object({
    state: PaymentRow.shape.state.describe(
      '`sent`: the processor has not responded yet. `released`: cancelled before the first request to the processor.',
    ),
    amount: Money.nullable(),
    processorId: z.string().nullable().describe("The processor's id of the charge."),
    releaseRequested: Epoch.nullable().describe('When the release was requested; null without one.'),
    refusal: z
      .object({ code: z.string(), declineCode: z.string() })
      .nullable()
      .describe('Why the processor declined.'),
    attempts: z
      .int()
      .describe('The requests to the processor up to the first conclusive response, including that one.'),
    unknown: z
      .object({ call: z.string(), reason: z.string(), since: Epoch })
      .nullable()
      .describe('The call with an unknown outcome.'),
    created: Epoch,
    updated: Epoch,
    refunds: z
      .array(
        z.object({
          id: z.string(),
          amount: Money,
          state: z.enum(['PENDING', 'DONE', 'FAILED']),
          madeBy: z.enum(['platform', 'processor']),
          date: Epoch,
        }),
      )
      .default([])
      .describe('The refunds that the processor reports, also those that were made there.'),
    disputes: z
      .array(z.object({ id: z.string(), ...Dispute.shape, date: Epoch }))
      .default([])
      .describe('The disputes that the processor reports.'),
  })
  .meta({ id: 'PaymentStory', description: 'The payment of an order. Never a token.' })
export type PaymentStory = z.infer<typeof PaymentStory>

export const ReadPaymentStory = internalOperation({
  name: 'read-payment-story',
  path: '/internal/payment-story',
  owner: 'payments',
  body: z.object({ orderApiKey: ApiKey }),
  response: z.object({ payment: PaymentStory.nullable() }),
})
