import { Principal } from '@platter/contracts'
// Not the whole of `jose`: a service starts with 37 ms of CPU less.
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { Cache } from '#/cache/cache.ts'

/** The header with the principal in requests between services. The gateway removes it from client requests. */
export const PRINCIPAL_HEADER = 'x-platter-principal'

/** The lifetime of a token. 60 s is longer than any request, and too short for a stolen token to be useful. */
const LIFE_SECONDS = 60
/**
 * A signer reuses a token for this time, and a verifier caches valid tokens. So an HMAC is computed once per key in 20 s instead of
 * once per request. The time is that of the wall clock, like the expiry of the token: after a suspension of the machine, a token
 * that is young by the monotonic clock has expired.
 */
const REUSE_MS = 20_000
const MAX_CACHED = 10_000

/** Set by the gateway for requests that the console's cookie authenticates. The gateway removes it from client requests. */
export const CONSOLE_HEADER = 'x-platter-console'

const keyOf = (secret: string) => new TextEncoder().encode(secret)

/**
 * The secrets of principal tokens. The first one signs; all of them verify. There are two during a rotation (docs/kubernetes.md,
 * "INTERNAL_SECRET").
 */
export type InternalSecrets = readonly [string, ...string[]]

/** Returns the secrets in the configuration of a service. */
export const internalSecrets = (config: {
  INTERNAL_SECRET: string
  INTERNAL_SECRET_OTHER?: string | undefined
}): InternalSecrets =>
  config.INTERNAL_SECRET_OTHER === undefined
    ? [config.INTERNAL_SECRET]
    : [config.INTERNAL_SECRET, config.INTERNAL_SECRET_OTHER]

/** Returns `sign`, which signs a principal (HMAC-SHA256) for the service `audience` and returns the token for the header. */
export function principalSigner([secret]: InternalSecrets) {
  const key = keyOf(secret)
  const signed = new Cache<string>({ maxEntries: MAX_CACHED })
  return (principal: Principal, audience: string): Promise<string> => {
    const period = Math.floor(Date.now() / REUSE_MS)
    return signed.load(`${period} ${audience} ${JSON.stringify(principal)}`, () =>
      new SignJWT({ principal })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt()
        .setAudience(audience)
        .setExpirationTime(`${LIFE_SECONDS}s`)
        .sign(key),
    )
  }
}

/**
 * Returns `verify`, which returns the principal of a token. It returns null if the token is absent, forged, expired or for another
 * audience.
 */
export function principalVerifier(secrets: InternalSecrets) {
  const keys = secrets.map(keyOf)
  const verified = new Cache<{ principal: Principal; until: number }>({ maxEntries: MAX_CACHED })
  return async function verify(token: string | undefined, audience: string): Promise<Principal | null> {
    if (token === undefined) return null
    const id = `${audience} ${token}`
    const known = verified.get(id)
    if (known && known.until > Date.now()) return known.principal
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          audience,
          requiredClaims: ['exp'],
        })
        const principal = Principal.parse(payload['principal'])
        verified.set(id, { principal, until: (payload.exp ?? 0) * 1000 })
        return principal
      } catch {
        // Not logged and not returned: the exact fault would help only an attacker.
      }
    }
    return null
  }
}
