import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The client's address: the socket's, or what a trusted proxy says, as long as that is an address at all. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '')
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
