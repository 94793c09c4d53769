import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { scrub } from '#/telemetry/scrub.ts'

/** A new apiKey: 48 hexadecimal characters, 192 random bits (docs/interface.md, "Rules for every endpoint"). */
export const newApiKey = (): string => randomBytes(24).toString('hex')

export const newRequestId = (): string => randomUUID()

const REQUEST_ID = /^[A-Za-z0-9._~-]{1,100}$/
/**
 * Twelve digits, the fewest of a card number, with nothing but separators between them; or what a key begins with. Hardly an
 * id has either, and to search each id for them took 7 % of a read of an order.
 */
const MAY_BE_SECRET = /(?:\d[._~-]*){12}|(?:live|test|whsec)_/
/** It goes along in messages and rows, so it may be no card number and no access key. */
const isRequestId = (text: string): boolean =>
  REQUEST_ID.test(text) && (!MAY_BE_SECRET.test(text) || scrub(text) === text)

/** The request's own id when it has one that may be used, else a new one. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && isRequestId(given) ? given : newRequestId()
}
