import { z } from 'zod'
import { Charge } from '#/internal/read-charges.ts'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** Each order needs one request to the processor, so one operation has few orders. */
export const CHARGES_AT_ONCE = 40

/** Returns the charges of these orders at the processor, of any time. */
export const FindCharges = internalOperation({
  name: 'find-charges',
  path: '/internal/find-charges',
  owner: 'payments',
  body: z.object({ orderApiKeys: z.array(ApiKey).max(CHARGES_AT_ONCE) }),
  response: z.object({ charges: z.array(Charge) }),
  problems: ['payment-unavailable'],
})
