import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the client's address, which the gateway sends to services; null if it is unknown. */
export function clientAddress({ 'x-client-address': address }: IncomingHttpHeaders): string | null {
  return typeof address === 'string' && address !== '' ? address : null
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address. Providers assign at least a
 * /64, which has 2^64 addresses. Any other text is returned unchanged.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address
  // IPv4 also in the mapped form, ::ffff:203.0.113.7.
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}
