import { z } from 'zod'
import { ApiKey } from '#/values.ts'

/** A test key finds test restaurants only, and places test orders only. It matters for keys of applications. */
export const KeyMode = z.enum(['live', 'test'])
export type KeyMode = z.infer<typeof KeyMode>

/**
 * Whom a request comes from, and by which access key, as the gateway found out from the access key, or `service` for a call that a
 * service makes on its own account. Travels between processes in a signed token only.
 */
export const Principal = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('application'),
    applicationId: ApiKey,
    accessKeyId: ApiKey,
    // Without one: signed by a gateway of the version before, which knew no modes.
    mode: KeyMode.default('live'),
  }),
  z.object({ kind: z.literal('restaurant'), restaurantApiKey: ApiKey, accessKeyId: ApiKey }),
  z.object({ kind: z.literal('operator'), accessKeyId: ApiKey }),
  z.object({ kind: z.literal('service'), service: z.string() }),
])
export type Principal = z.infer<typeof Principal>
export type PrincipalOf<K extends Principal['kind']> = Extract<Principal, { kind: K }>
