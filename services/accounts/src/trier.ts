import type { IncomingHttpHeaders } from 'node:http'
import { clientAddress } from '@platter/kit'
import type { Trier } from '#/store/tries.ts'

/** Who tries to get in. The gateway says from where; without its word the address is not known, and not counted. */
export const trierOf = (email: string, headers: IncomingHttpHeaders, applicationId?: string): Trier => ({
  email,
  address: clientAddress(headers) ?? undefined,
  applicationId,
})
