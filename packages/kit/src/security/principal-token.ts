import { Principal } from '@platter/contracts'
import { jwtVerify, SignJWT } from 'jose'
import { Cache } from '#/cache/cache.ts'

/** The header that carries the principal between our processes. The gateway strips it from what comes from outside. */
export const PRINCIPAL_HEADER = 'x-platter-principal'

/** A token lives for 60 s: longer than any request, too short to be worth stealing from a private network. */
const LIFE_SECONDS = 60
/** A signer gives the same token for so long, and a verifier remembers what it found out: HMAC once a key and 20 s, not once a request. */
const REUSE_MS = 20_000
const MAX_REMEMBERED = 10_000

/** Set by the gateway for requests that the cookie of the console authenticates; stripped from what comes from outside. */
export const CONSOLE_HEADER = 'x-platter-console'

const keyOf = (secret: string) => new TextEncoder().encode(secret)

/**
 * What our services sign with, and what they take: the first signs, all are taken. Two of them while the one is
 * changed for the other (docs/kubernetes.md, "INTERNAL_SECRET").
 */
export type InternalSecrets = readonly [string, ...string[]]

/** Of the configuration of a service. */
export const internalSecrets = (config: {
  INTERNAL_SECRET: string
  INTERNAL_SECRET_OTHER?: string | undefined
}): InternalSecrets =>
  config.INTERNAL_SECRET_OTHER === undefined
    ? [config.INTERNAL_SECRET]
    : [config.INTERNAL_SECRET, config.INTERNAL_SECRET_OTHER]

/**
 * Signs principals (HMAC-SHA256). `sign` takes a principal and the service that is to believe it, and gives the token
 * for the header.
 */
export function principalSigner([secret]: InternalSecrets) {
  const key = keyOf(secret)
  const signed = new Cache<Promise<string>>({ maxEntries: MAX_REMEMBERED, ttlMs: REUSE_MS })
  return function sign(principal: Principal, audience: string): Promise<string> {
    const id = `${audience} ${JSON.stringify(principal)}`
    const known = signed.get(id)
    if (known) return known
    const token = new SignJWT({ principal })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setAudience(audience)
      .setExpirationTime(`${LIFE_SECONDS}s`)
      .sign(key)
    signed.set(id, token)
    return token
  }
}

/** Verifies tokens. Gives the principal, or null for a token that is forged, expired, for another service, or none. */
export function principalVerifier(secrets: InternalSecrets) {
  const keys = secrets.map(keyOf)
  const verified = new Cache<{ principal: Principal; until: number }>({ maxEntries: MAX_REMEMBERED })
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
        // Whatever is wrong with a token, it is no proof; which fault it was is of use to a forger only.
      }
    }
    return null
  }
}
