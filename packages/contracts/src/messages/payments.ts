import { z } from 'zod'
import { command } from '#/message.ts'
import { Cents } from '#/values.ts'
import { StepRef } from '#/messages/saga.ts'

/** Holds the order's total on the card. One hold an order, however often and however late it is asked for. */
export const PaymentsAuthorize = command(
  'payments.authorize',
  'payments',
  StepRef.extend({ amount: Cents, token: z.string() }),
)

/** Gives the hold back, or the money if it was taken; also when the authorization is unknown or yet to arrive. */
export const PaymentsRelease = command('payments.release', 'payments', StepRef)

/** Takes the money that is held. */
export const PaymentsCapture = command('payments.capture', 'payments', StepRef.extend({ amount: Cents }))
