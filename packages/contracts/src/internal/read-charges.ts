import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey, Cents, Epoch } from '#/values.ts'

/** A charge of an order at the processor. It never contains a token. */
export const Charge = z.object({
  /** The processor's id. */
  id: z.string(),
  reference: ApiKey,
  status: z.enum(['authorized', 'captured', 'voided', 'refunded']),
  amount: Cents,
  /** The refunded amount of a captured charge, pending refunds included; absent without a refund. */
  refunded: Cents.optional(),
  /** Another difference from the request, such as the currency. */
  differs: z.string().optional(),
})
export type Charge = z.infer<typeof Charge>

/** Returns the charges that the processor created from `from` to before `to`, by its clock. `after` requests the next page. */
export const ReadCharges = internalOperation({
  name: 'read-charges',
  path: '/internal/charges',
  owner: 'payments',
  body: z.object({ from: Epoch, to: Epoch, after: z.string().nullable() }),
  response: z.object({ charges: z.array(Charge), after: z.string().nullable() }),
  problems: ['payment-unavailable'],
})
