import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The client's address: that of the socket, or the one that a trusted proxy forwards, if it is an address. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '')
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
