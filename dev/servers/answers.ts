import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import pg from 'pg'
import type { ServerKind } from './types.ts'

/** A server that is silent for this long is not ready. */
const silenceMs = 5000

/** Whether a PostgreSQL answers a query. Wrong credentials throw: no waiting heals them. */
export async function answersPostgres(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: silenceMs })
  // A connection that breaks also rejects what is awaited; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    // Class 28: invalid authorization; 3D000: no such database.
    const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
    if (code.startsWith('28') || code === '3D000') throw error
    return false
  } finally {
    await client.end()
  }
}

/** Whether a broker speaks AMQP 0-9-1: it answers the protocol header with Connection.Start, a method frame. */
export function answersAmqp(url: string): Promise<boolean> {
  return answers(url, 5672, Buffer.from('AMQP\0\0\u0009\u0001', 'latin1'), (bytes) => bytes[0] === 1)
}

/** Whether a Redis answers a ping; also one that first wants a password. */
export function answersRedis(url: string): Promise<boolean> {
  return answers(url, 6379, Buffer.from('PING\r\n'), (bytes) => /^(\+PONG|-NOAUTH)/.test(bytes.toString()))
}

function answers(
  url: string,
  usualPort: number,
  question: Buffer,
  isAnswer: (bytes: Buffer) => boolean,
): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const secure = protocol === 'amqps:' || protocol === 'rediss:'
  const where = { host, port: Number(port || usualPort) }
  const socket: Socket = secure ? connectTls({ ...where, servername: host }) : connectPlain(where)
  return new Promise((resolve) => {
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.once('connect', () => socket.write(question))
    socket.once('data', (bytes: Buffer) => {
      resolve(isAnswer(bytes))
      socket.destroy()
    })
    // 'close' follows; a refused connection is the answer "not yet".
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(false))
  })
}

/** Whether a server of this kind answers at its URL. */
export const answersOf: Readonly<Record<ServerKind, (url: string) => Promise<boolean>>> = {
  postgres: answersPostgres,
  rabbitmq: answersAmqp,
  redis: answersRedis,
}

/** Whether anybody accepts a connection there. */
export function answersTcp(host: string, port: number): Promise<boolean> {
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
