import { BlockList, isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Returns the client's address: the address that a trusted proxy forwards, if it is valid; otherwise the socket's address. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '')
  return unmapped(address)
}

/** An IPv6 socket reports IPv4 addresses in their mapped form. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Returns a function that checks whether an address is in a list of addresses and CIDR ranges. */
export function matcher(list: readonly string[]): (address: string) => boolean {
  const known = new BlockList()
  for (const one of list) {
    const [network = '', bits] = one.split('/')
    if (bits === undefined) known.addAddress(network, familyOf(network))
    else known.addSubnet(network, Number(bits), familyOf(network))
  }
  return (address) => address !== '' && known.check(address, familyOf(address))
}
