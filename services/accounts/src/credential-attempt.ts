import type { IncomingHttpHeaders } from 'node:http'
import { clientAddress } from '@platter/kit'
import type { CredentialAttempt } from '#/store/credential-attempts.ts'

/** The gateway sends the client's address. Without that header the address is unknown, and not counted. */
export const attemptOf = (
  email: string,
  headers: IncomingHttpHeaders,
  applicationId?: string,
): CredentialAttempt => ({
  email,
  address: clientAddress(headers) ?? undefined,
  applicationId,
})
