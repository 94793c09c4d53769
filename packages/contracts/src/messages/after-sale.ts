import { z } from 'zod'
import { command } from '#/message.ts'
import { Dispute } from '#/records.ts'
import { ApiKey, Cents, Epoch } from '#/values.ts'

/*
 * Changes of a charge at the processor after its capture, made at the processor or completed after the reply. Payments publishes
 * the complete state and republishes it until orders confirms its version, so a lost message is harmless. An older version changes
 * nothing.
 */

/** Sets the refunds that were made at the processor, and the order's disputes as one. */
export const OrdersSetRefunds = command(
  'orders.set-refunds',
  z.object({
    orderApiKey: ApiKey,
    version: z.int(),
    refunds: z.array(
      z.object({
        /** The processor's id of the refund. */
        id: z.string(),
        amount: Cents,
        state: z.enum(['PENDING', 'DONE', 'FAILED']),
        date: Epoch,
      }),
    ),
    /** The `apiKey`s of Platter's refunds that failed at the processor, including failures after an earlier success. */
    failed: z.array(ApiKey),
    dispute: Dispute.extend({
      amount: Cents,
      /** The sum of the lost disputes, also while another one is open. Payments of the previous version sends none. */
      lost: Cents.optional(),
      /** False while the processor refunds nothing; not for an inquiry. Payments of the previous version sends none. */
      isRefundable: z.boolean().optional(),
    }).nullable(),
  }),
)
export type OrdersSetRefunds = z.output<typeof OrdersSetRefunds.data>

/** Confirms that orders has stored this version. */
export const PaymentsRefundsSet = command(
  'payments.refunds-set',
  z.object({ orderApiKey: ApiKey, version: z.int() }),
)
export type PaymentsRefundsSet = z.output<typeof PaymentsRefundsSet.data>
