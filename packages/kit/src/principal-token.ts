import { Principal } from '@platter/contracts'
import { jwtVerify, SignJWT } from 'jose'

/** The header that carries the principal between our processes. The gateway strips it from what comes from outside. */
export const PRINCIPAL_HEADER = 'x-platter-principal'

/** A token lives for 60 s: longer than any request, too short to be worth stealing from a private network. */
const LIFE_SECONDS = 60
/** A signer gives the same token for so long, and a verifier remembers what it found out: HMAC once a key and 20 s, not once a request. */
const REUSE_MS = 20_000
const MAX_REMEMBERED = 10_000

const keyOf = (secret: string) => new TextEncoder().encode(secret)

/** Signs principals (HMAC-SHA256). `sign` takes a principal and gives the token for the header. */
export function principalSigner(secret: string) {
  const key = keyOf(secret)
  const signed = new Map<string, { token: Promise<string>; at: number }>()
  return function sign(principal: Principal): Promise<string> {
    const id = JSON.stringify(principal)
    const known = signed.get(id)
    if (known && performance.now() - known.at < REUSE_MS) return known.token
    if (signed.size >= MAX_REMEMBERED) signed.clear()
    const token = new SignJWT({ principal })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(`${LIFE_SECONDS}s`)
      .sign(key)
    signed.set(id, { token, at: performance.now() })
    return token
  }
}

/** Verifies tokens. Gives the principal, or null for a token that is forged, expired or none. */
export function principalVerifier(secret: string) {
  const key = keyOf(secret)
  const verified = new Map<string, { principal: Principal; until: number }>()
  return async function verify(token: string | undefined): Promise<Principal | null> {
    if (token === undefined) return null
    const known = verified.get(token)
    if (known && known.until > Date.now()) return known.principal
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
      const principal = Principal.parse(payload['principal'])
      if (verified.size >= MAX_REMEMBERED) verified.clear()
      verified.set(token, { principal, until: (payload.exp ?? 0) * 1000 })
      return principal
    } catch {
      // Whatever is wrong with a token, it is no proof; which fault it was is of use to a forger only.
      return null
    }
  }
}
