import { createHmac } from 'node:crypto'
import { Secret, type Principal } from '@platter/contracts'
import type { InternalSecrets } from '#/security/principal-token.ts'
import { Problem } from '#/http/problem.ts'
import { scrub } from '#/telemetry/scrub.ts'

/**
 * Which request this is, as the client numbers its requests (docs/interface.md, "Idempotency keys"): two with the
 * same access key, path and key are one, and have to say the same.
 */
export type IdempotencyScope = {
  accessKeyId: string
  path: string
  key: string
  fingerprint: string
  /** What it is with the other INTERNAL_SECRET, by which it may have been kept. */
  otherFingerprint?: string | undefined
}

/** Whether what was kept is the same request. */
export const isSameRequest = (kept: string, { fingerprint, otherFingerprint }: IdempotencyScope): boolean =>
  kept === fingerprint || kept === otherFingerprint

const BARE = /^[\u0021-\u007E]{1,255}$/
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/** The scope of a request with that header; null for one of a service of ours. Throws Problem invalid-field for a key that is none. */
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
  const key = readKey(header, secrets)
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
 * Quoted as the IETF draft has it, or bare; 1 to 255 visible ASCII characters. It is stored, so of one with a card
 * number or an access key in it only a keyed hash is: the same key is still the same, until INTERNAL_SECRET is another.
 */
export function readKey(header: string | string[], [secret]: InternalSecrets): string {
  const text = typeof header === 'string' ? header.trim() : ''
  const key = QUOTED.exec(text)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? text
  if (BARE.test(key)) return scrub(key) === key ? key : createHmac('sha256', secret).update(key).digest('hex')
  const detail = 'Idempotency-Key is not 1 to 255 visible ASCII characters, quoted or bare.'
  throw new Problem('invalid-field', detail, {
    faults: [{ pointer: 'header/Idempotency-Key', code: 'invalid-field', detail }],
  })
}

/**
 * Of what the request says once it is parsed, so that white space and unknown fields do not matter. Keyed
 * (HMAC-SHA-256): a password is part of it, and must not be guessable from what is kept.
 */
function fingerprintOf(body: unknown, secret: string): string {
  const text = JSON.stringify(
    body ?? null,
    function replace(this: Record<string, unknown>, name, value: unknown) {
      const original = this[name]
      return original instanceof Secret ? original.telling() : value
    },
  )
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** What is said of a key that was used before. */
export const mismatch = () =>
  new Problem('idempotency-mismatch', 'This Idempotency-Key was used with another request.')

export const inFlight = () =>
  new Problem('idempotency-in-flight', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })
