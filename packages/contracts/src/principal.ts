import { z } from 'zod'
import { ApiKey } from '#/values.ts'

/**
 * With a test key of an application, searches return only test restaurants and orders are test orders. Other audiences ignore the
 * mode.
 */
export const KeyMode = z.enum(['live', 'test'])
export type KeyMode = z.infer<typeof KeyMode>

/** The owner of an access key, which authenticates a request at the gateway. */
export const Caller = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('application'),
    applicationId: ApiKey,
    accessKeyId: ApiKey,
    mode: KeyMode,
  }),
  z.object({ kind: z.literal('restaurant'), restaurantApiKey: ApiKey, accessKeyId: ApiKey }),
  z.object({ kind: z.literal('operator'), accessKeyId: ApiKey }),
])
export type Caller = z.infer<typeof Caller>

/**
 * The authenticated caller, or `service` for a service's own request. Between processes a principal travels only in a signed token.
 */
export const Principal = z.discriminatedUnion('kind', [
  ...Caller.options,
  z.object({ kind: z.literal('service'), service: z.string() }),
])
export type Principal = z.infer<typeof Principal>
export type PrincipalOf<K extends Principal['kind']> = Extract<Principal, { kind: K }>
