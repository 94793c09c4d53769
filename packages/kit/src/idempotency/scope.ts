import { createHmac } from 'node:crypto'
import { Secret, type Principal } from '@platter/contracts'
import { Problem } from '#/http/problem.ts'
import type { InternalSecrets } from '#/security/principal-token.ts'
import { scrub } from '#/telemetry/scrub.ts'

/**
 * Identifies a request across its retries (docs/interface.md, "Idempotency keys"): two requests with the same access key, path and
 * key are one, and must have the same fingerprint.
 */
export type IdempotencyScope = {
  accessKeyId: string
  path: string
  key: string
  fingerprint: string
  /** The fingerprint by INTERNAL_SECRET_OTHER: a replica with the other secret may have stored the first request. */
  otherFingerprint?: string | undefined
}

/** Whether a stored fingerprint is that of the same request. */
export const isSameRequest = (stored: string, { fingerprint, otherFingerprint }: IdempotencyScope): boolean =>
  stored === fingerprint || stored === otherFingerprint

const BARE = /^[\u0021-\u007E]{1,255}$/
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/** The scope of a request with this header; null for a request of another service. Throws Problem invalid-field for a malformed key. */
export function idempotencyScope(
  header: string | string[],
  {
    principal,
    path,
    body,
    secrets,
  }: { principal: Principal; path: string; body: unknown; secrets: InternalSecrets },
): IdempotencyScope | null {
  if (principal.kind === 'service') return null
  const key = parseIdempotencyKey(header, secrets)
  const [secret, other] = secrets
  return {
    accessKeyId: principal.accessKeyId,
    path,
    key,
    fingerprint: fingerprintOf(body, secret),
    ...(other !== undefined && { otherFingerprint: fingerprintOf(body, other) }),
  }
}

/**
 * The key in a header: quoted, as in the IETF draft, or bare; 1 to 255 visible ASCII characters. The key is stored, so a key that
 * contains a card number or an access key becomes a keyed hash of it. A change of INTERNAL_SECRET changes that hash.
 */
export function parseIdempotencyKey(header: string | string[], [secret]: InternalSecrets): string {
  const text = typeof header === 'string' ? header.trim() : ''
  const key = QUOTED.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? text
  if (BARE.test(key)) return scrub(key) === key ? key : createHmac('sha256', secret).update(key).digest('hex')
  const detail = 'Idempotency-Key is not 1 to 255 visible ASCII characters, quoted or bare.'
  throw new Problem('invalid-field', detail, {
    faults: [{ pointer: 'header/Idempotency-Key', code: 'invalid-field', detail }],
  })
}

/**
 * Of the parsed body, so that white space and unknown fields do not matter. Keyed (HMAC-SHA-256): the body may contain a password,
 * which must not be guessable from the stored fingerprint.
 */
function fingerprintOf(body: unknown, secret: string): string {
  const text = JSON.stringify(
    body ?? null,
    function replace(this: Record<string, unknown>, name, value: unknown) {
      const original = this[name]
      return original instanceof Secret ? original.distinguishingPart() : value
    },
  )
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** The key was used with another request. */
export const mismatch = () =>
  new Problem('idempotency-mismatch', 'This Idempotency-Key was used with another request.')

export const inFlight = () =>
  new Problem('idempotency-in-flight', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })
