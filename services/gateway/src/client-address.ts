import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Returns the client's address: the address that a trusted proxy forwards, if it is valid; otherwise the socket's address. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '')
  return unmapped(address)
}

/** An IPv6 socket reports IPv4 addresses in their mapped form. */
export const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')
