import { z } from 'zod'
import { ApiKey } from '#/values.ts'

/** With a test key of an application, searches find test restaurants only and orders are test orders. Other kinds ignore the mode. */
export const KeyMode = z.enum(['live', 'test'])
export type KeyMode = z.infer<typeof KeyMode>

/**
 * The authenticated caller with its access key, as the gateway resolved it, or `service` for a request that a service makes itself.
 * Between processes a principal is in a signed token only.
 */
export const Principal = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('application'),
    applicationId: ApiKey,
    accessKeyId: ApiKey,
    mode: KeyMode,
  }),
  z.object({ kind: z.literal('restaurant'), restaurantApiKey: ApiKey, accessKeyId: ApiKey }),
  z.object({ kind: z.literal('operator'), accessKeyId: ApiKey }),
  z.object({ kind: z.literal('service'), service: z.string() }),
])
export type Principal = z.infer<typeof Principal>
export type PrincipalOf<K extends Principal['kind']> = Extract<Principal, { kind: K }>
