import { Problem } from '@platter/kit'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { matcher } from '#/client-address.ts'

/*
 * A cookie with the access key signs a restaurant in to the console. Scripts cannot read it, and browsers send it only to this
 * host. It is accepted only from the console's own page: docs/decisions/0012-restaurant-console.md.
 */

/**
 * `__Host-`: another host of the same domain cannot set a cookie with this name. Browsers accept the prefix only for Secure
 * cookies.
 */
const SECURE_NAME = '__Host-platter-console'
const PLAIN_NAME = 'platter-console'

/** Host names of the local machine; requests to them use no network. Safari stores no Secure cookie from `http://localhost`. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

const isLoopback = matcher(['127.0.0.0/8', '::1'])

/**
 * A request with one of these fields passed through a proxy. Caddy, HAProxy, Traefik and Apache set one by default, nginx does not.
 */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

const pageOf = ({ headers: { origin } }: FastifyRequest) => (origin === undefined ? null : URL.parse(origin))

/**
 * Returns whether the browser may have connected over plain http to its own machine. The header Host alone is no proof: nginx and
 * Apache forward `Host: 127.0.0.1:8080` by default, even for a browser that connected over https. The browser sets the scheme in
 * Origin, and no proxy changes it.
 */
const mayBePlain = (request: FastifyRequest): boolean =>
  LOOPBACK.test(request.hostname) &&
  FORWARDING.every((name) => request.headers[name] === undefined) &&
  pageOf(request)?.protocol !== 'https:'

/** Like `mayBePlain`, confirmed by Origin, which browsers send when they sign in. Without Origin, the socket's address decides. */
function isPlain(request: FastifyRequest): boolean {
  const { headers, socket } = request
  if (!mayBePlain(request)) return false
  if (headers.origin !== undefined) return LOOPBACK.test(pageOf(request)?.hostname ?? '')
  return isLoopback(socket.remoteAddress ?? '')
}

/** Returns the access key in the console's cookie, if the request has one. */
export function sessionKeyOf(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  const { [SECURE_NAME]: secure, [PLAIN_NAME]: plain } = parseCookie(cookie)
  return secure ?? (mayBePlain(request) ? plain : undefined)
}

/**
 * Returns the values of `Set-Cookie` that sign in with the key, or sign out for null. A session ends with the browser, because
 * there is no Max-Age. The cookie of the other name is always removed: a cookie left over from the other scheme of the same host
 * would sign another restaurant in.
 */
export function sessionCookies(request: FastifyRequest, accessKey: string | null): string[] {
  const secure = !isPlain(request)
  return [sessionCookie(secure, accessKey), sessionCookie(!secure, null)]
}

const sessionCookie = (secure: boolean, accessKey: string | null) =>
  stringifySetCookie({
    name: secure ? SECURE_NAME : PLAIN_NAME,
    value: accessKey ?? '',
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
    ...(accessKey === null && { maxAge: 0 }),
  })

/**
 * SameSite does not protect against other hosts of the same site, and old browsers may ignore it. Therefore a request with side
 * effects must come from a page of this exact origin. Throws Problem not-allowed.
 */
export function checkOwnPage(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isOfOwnPage(request)) return
  throw new Problem(
    'not-allowed',
    'With the cookie of the console, only the page of the console may do this.',
  )
}

/** Browsers that do not send Sec-Fetch-Site send Origin with every method except GET and HEAD. */
function isOfOwnPage({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === host
}
