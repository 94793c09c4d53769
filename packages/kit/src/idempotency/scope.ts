import { createHmac } from 'node:crypto'
import { Secret, type Principal } from '@platter/contracts'
import { Problem } from '#/http/problem.ts'
import type { InternalSecrets } from '#/security/principal-token.ts'
import { scrub } from '#/telemetry/scrub.ts'

/**
 * Identifies a request across its retries (docs/interface.md, "Idempotency keys"). Requests with the same access key, path and key
 * are retries of one request, and must have the same fingerprint.
 */
export type IdempotencyScope = {
  accessKeyId: string
  path: string
  key: string
  fingerprint: string
  /** The fingerprint with INTERNAL_SECRET_OTHER, because a replica with that secret may have stored the first request. */
  otherFingerprint?: string | undefined
}

/** Returns whether a stored fingerprint belongs to the same request. */
export const isSameRequest = (stored: string, { fingerprint, otherFingerprint }: IdempotencyScope): boolean =>
  stored === fingerprint || stored === otherFingerprint

const BARE = /^[\u0021-\u007E]{1,255}$/
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * Returns the scope of a request with this header; null for a request from a service. Throws Problem invalid-field for a malformed
 * key.
 */
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
 * Returns the key in a header: 1 to 255 visible ASCII characters, quoted (as in the IETF draft) or bare. The key is stored, so a
 * key that contains a card number or an access key is replaced by its keyed hash. A change of INTERNAL_SECRET changes that hash.
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
 * Computes the fingerprint from the parsed body, so that white space and unknown fields do not matter. The hash is keyed
 * (HMAC-SHA-256), because the body may contain a password, which the stored fingerprint must not reveal.
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

/** Returns the problem of a key that was used with another request. */
export const mismatch = () =>
  new Problem('idempotency-mismatch', 'This Idempotency-Key was used with another request.')

export const inFlight = () =>
  new Problem('idempotency-in-flight', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })
