import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { scrub } from '#/telemetry/scrub.ts'

/** Returns a new apiKey: 48 hexadecimal characters, 192 random bits (docs/interface.md, "Rules for every endpoint"). */
export const newApiKey = (): string => randomBytes(24).toString('hex')

export const newRequestId = (): string => randomUUID()

const REQUEST_ID = /^[A-Za-z0-9._~-]{1,100}$/
/**
 * Matches twelve digits (the length of the shortest card number) with only separators between them, or the prefix of a key. Few ids
 * match. A full search of each id took 7 % of the time to read an order.
 */
const MAY_BE_SECRET = /(?:\d[._~-]*){12}|(?:live|test|whsec)_/
/** A request id is stored in messages and rows, so it must not contain a card number or an access key. */
const isRequestId = (text: string): boolean =>
  REQUEST_ID.test(text) && (!MAY_BE_SECRET.test(text) || scrub(text) === text)

/** Returns the request id that the client sent if it is valid, otherwise a new one. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && isRequestId(given) ? given : newRequestId()
}
