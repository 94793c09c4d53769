import { Problem } from '@platter/kit'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/*
 * The restaurant's console is signed in by a cookie that holds the access key: no script can read it, and it goes
 * to us only. What comes with it is asked of one page, ours: docs/decisions/0012-the-console.md.
 */

/** `__Host-`: no other host of our domain can set one in its place, which browsers grant to Secure cookies only. */
const SECURE_NAME = '__Host-platter-console'
const PLAIN_NAME = 'platter-console'

/** Where browsers send nothing over a network. Safari keeps no Secure cookie there that came over plain http. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

const isOnLoopback = ({ hostname }: FastifyRequest) => LOOPBACK.test(hostname)

/** The access key that the console's cookie holds, if the request has one. */
export function sessionKeyOf(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  return parseCookie(cookie)[isOnLoopback(request) ? PLAIN_NAME : SECURE_NAME]
}

/** `Set-Cookie` that signs in with the key, or out with none. It ends with the browser, as no Max-Age says otherwise. */
export function sessionCookie(request: FastifyRequest, accessKey: string | null): string {
  const secure = !isOnLoopback(request)
  return stringifySetCookie({
    name: secure ? SECURE_NAME : PLAIN_NAME,
    value: accessKey ?? '',
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
    ...(accessKey === null && { maxAge: 0 }),
  })
}

/**
 * SameSite lets pages of other hosts of the same site through, and old browsers may not know it: what changes
 * something must say that it comes from a page of this very origin. Throws Problem not-allowed.
 */
export function checkOwnPage(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isOfOwnPage(request)) return
  throw new Problem(
    'not-allowed',
    'With the cookie of the console, only the page of the console may do this.',
  )
}

/** Browsers that do not send Sec-Fetch-Site send Origin with everything but GET and HEAD. */
function isOfOwnPage({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === host
}
