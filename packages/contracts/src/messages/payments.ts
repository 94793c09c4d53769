import { z } from 'zod'
import { command } from '#/message.ts'
import { ApiKey, Cents } from '#/values.ts'
import { StepRef } from '#/messages/saga.ts'

/** `returnUrl`: where the bank sends the customer afterwards; null: to a page of the bank. */
export const Authentication = z.object({ returnUrl: z.string().nullable() })
export type Authentication = z.infer<typeof Authentication>

/** Authorizes the total of an order on its card. A repeated command finds the one authorization of the order. */
export const PaymentsAuthorize = command(
  'payments.authorize',
  'payments',
  StepRef.extend({
    amount: Cents,
    token: z.string(),
    /** The client can send its customer to the bank. Without it, a card that requires authentication is declined. */
    authentication: Authentication.optional(),
    /** Appears on the customer's statement. Absent from replicas of an older version, as the next one. */
    restaurantName: z.string().optional(),
    /** The card is saved to the recipient's account, for orders that the customer sends later. */
    savesCard: z.boolean().optional(),
  }),
)

/** Voids the authorization or refunds the charge, also when the outcome of the authorization is unknown or its command has not arrived. */
export const PaymentsRelease = command('payments.release', 'payments', StepRef)

/** The processor has an event about an order whose customer may be at the bank. A hint: orders repeats its command. */
export const PaymentMoved = command('orders.payment-moved', 'orders', z.object({ orderApiKey: ApiKey }))

/** Captures the authorized amount. */
export const PaymentsCapture = command('payments.capture', 'payments', StepRef.extend({ amount: Cents }))

/** Refunds a part of the captured amount, or all of it. A repeated command finds the one row of that refund. */
export const PaymentsRefund = command(
  'payments.refund',
  'payments',
  StepRef.extend({ refund: ApiKey, amount: Cents }),
)
