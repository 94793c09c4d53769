import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Returns the client's address: the address that a trusted proxy forwards, if it is valid; otherwise the socket's address. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '')
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
