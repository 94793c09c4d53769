import type { IncomingHttpHeaders } from 'node:http'
import { clientAddress } from '@platter/kit'
import type { CredentialAttempt } from '#/store/credential-attempts.ts'

/** Returns the attempt to count. Without the gateway's address header, the client's address is unknown and not counted. */
export const attemptOf = (
  email: string,
  headers: IncomingHttpHeaders,
  applicationId?: string,
): CredentialAttempt => ({
  email,
  address: clientAddress(headers) ?? undefined,
  applicationId,
})
