import { z } from 'zod'
import { Charge } from '#/internal/read-charges.ts'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** Each order takes a request to the processor, so the number in one operation is small. */
export const CHARGES_AT_ONCE = 40

/** The charges of these orders at the processor, of any time. */
export const FindCharges = internalOperation({
  name: 'find-charges',
  path: '/internal/find-charges',
  owner: 'payments',
  body: z.object({ orderApiKeys: z.array(ApiKey).max(CHARGES_AT_ONCE) }),
  response: z.object({ charges: z.array(Charge) }),
  problems: ['payment-unavailable'],
})
