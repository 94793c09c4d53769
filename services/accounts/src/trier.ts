import type { IncomingHttpHeaders } from 'node:http'
import type { Trier } from '#/store/tries.ts'

/** Who tries to get in. The gateway says from where; without its word the address is not known, and not counted. */
export function trierOf(email: string, headers: IncomingHttpHeaders, applicationId?: string): Trier {
  const address = headers['x-client-address']
  return {
    email,
    address: typeof address === 'string' && address !== '' ? address : undefined,
    applicationId,
  }
}
