import { z } from 'zod'
import { command } from '#/message.ts'
import { ApiKey, Cents } from '#/values.ts'
import { StepRef } from '#/messages/saga.ts'

/** `returnUrl`: the URL to which the bank redirects the customer afterwards. Null: a page of the bank. */
export const Authentication = z.object({ returnUrl: z.string().nullable() })
export type Authentication = z.infer<typeof Authentication>

/** Authorizes the total of an order on its card. A repeated command returns the existing authorization of the order. */
export const PaymentsAuthorize = command(
  'payments.authorize',
  StepRef.extend({
    amount: Cents,
    token: z.string(),
    /** The client can redirect its customer to the bank. Without it, a card that requires authentication is declined. */
    authentication: Authentication.optional(),
    /** Shown on the customer's card statement. Absent in messages of the previous version, like `savesCard`. */
    restaurantName: z.string().optional(),
    /** The card is saved to the recipient's account, for later orders of the customer. */
    savesCard: z.boolean().optional(),
  }),
)

/**
 * Voids the authorization or refunds the charge. The command also works while the outcome of the authorization is unknown, or
 * before its command arrives.
 */
export const PaymentsRelease = command('payments.release', StepRef)

/** Reports a processor event for an order whose customer may be at the bank. A hint: orders republishes its command. */
export const PaymentMoved = command('orders.payment-moved', z.object({ orderApiKey: ApiKey }))

/** Captures the authorized amount. */
export const PaymentsCapture = command('payments.capture', StepRef.extend({ amount: Cents }))

/** Refunds a part of the captured amount, or all of it. A repeated command finds the row of the same refund. */
export const PaymentsRefund = command('payments.refund', StepRef.extend({ refund: ApiKey, amount: Cents }))
