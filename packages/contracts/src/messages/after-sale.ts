import { z } from 'zod'
import { command } from '#/message.ts'
import { ApiKey, Cents, Epoch } from '#/values.ts'

/*
 * What happens to a charge at the processor after its capture, without this platform or later than its reply. Payments publishes the whole picture and repeats it until orders
 * has confirmed its version, so a lost message is corrected. A picture of an earlier version changes nothing.
 */

/** Sets the refunds that were made at the processor, and the dispute of the order: the open one, or the latest. */
export const OrdersSetRefunds = command(
  'orders.set-refunds',
  'orders',
  z.object({
    orderApiKey: ApiKey,
    version: z.int(),
    refunds: z.array(
      z.object({
        /** Of the refund at the processor. */
        id: z.string(),
        amount: Cents,
        state: z.enum(['PENDING', 'DONE', 'FAILED']),
        date: Epoch,
      }),
    ),
    /** The `apiKey`s of refunds of this platform that have failed at the processor, also after they were done. */
    failed: z.array(ApiKey),
    dispute: z
      .object({
        state: z.enum(['OPEN', 'WON', 'LOST']),
        amount: Cents,
        reason: z.string(),
        respondBy: Epoch.nullable(),
      })
      .nullable(),
  }),
)
export type OrdersSetRefunds = z.output<typeof OrdersSetRefunds.data>

/** Orders has this version of the picture. */
export const PaymentsRefundsSet = command(
  'payments.refunds-set',
  'payments',
  z.object({ orderApiKey: ApiKey, version: z.int() }),
)
export type PaymentsRefundsSet = z.output<typeof PaymentsRefundsSet.data>
