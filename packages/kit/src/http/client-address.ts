import type { IncomingHttpHeaders } from 'node:http'

/** Returns the client's address, which the gateway sends to services; null if it is unknown. */
export function clientAddress({ 'x-client-address': address }: IncomingHttpHeaders): string | null {
  return typeof address === 'string' && address !== '' ? address : null
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 prefix of an IPv6 address. Providers assign at least a
 * /64, which has 2^64 addresses. Any other text is returned unchanged.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%')
  if (!plain.includes(':') || !URL.canParse(`http://[${plain}]`)) return address
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
