import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import pg from 'pg'
import { withClient } from './database.ts'
import type { ServerKind } from './types.ts'

/** The time limit of one check. */
const silenceMs = 5000

/** True when PostgreSQL executes a query. Throws for wrong credentials, because waiting cannot help. */
export async function isPostgresReady(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('select 1'))
    return true
  } catch (error) {
    // Class 28: invalid authorization; 3D000: no such database.
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
    if (code.startsWith('28') || code === '3D000') throw error
    return false
  }
}

/** True when a broker replies to the AMQP 0-9-1 protocol header with Connection.Start, a method frame. */
export function isRabbitmqReady(url: string): Promise<boolean> {
  return hasReply(url, 5672, Buffer.from('AMQP\0\0\u0009\u0001', 'latin1'), (bytes) => bytes[0] === 1)
}

/** True if Redis replies to a ping, even with an error that requires a password. */
export function isRedisReady(url: string): Promise<boolean> {
  return hasReply(url, 6379, Buffer.from('PING\r\n'), (bytes) => /^(\+PONG|-NOAUTH)/.test(bytes.toString()))
}

function hasReply(
  url: string,
  usualPort: number,
  request: Buffer,
  isExpected: (bytes: Buffer) => boolean,
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const secure = protocol === 'amqps:' || protocol === 'rediss:'
  const where = { host, port: Number(port || usualPort) }
  const socket: Socket = secure ? connectTls({ ...where, servername: host }) : connectPlain(where)
  return new Promise((resolve) => {
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.once('connect', () => socket.write(request))
    socket.once('data', (bytes: Buffer) => {
      resolve(isExpected(bytes))
      socket.destroy()
    })
    // 'close' follows. A refused connection means that the server is not ready yet.
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(false))
  })
}

/** The readiness check of each kind of server. */
export const readinessOf: Readonly<Record<ServerKind, (url: string) => Promise<boolean>>> = {
  postgres: isPostgresReady,
  rabbitmq: isRabbitmqReady,
  redis: isRedisReady,
}

/** True when a server accepts a connection. */
export function isPortOpen(host: string, port: number): Promise<boolean> {
  const socket = connectPlain({ host, port })
  return new Promise((resolve) => {
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(false))
  })
}
