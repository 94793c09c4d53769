import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectRedis } from '#/lifecycle/redis.ts'
import { createLog } from '#/telemetry/log.ts'

/** The replies to the commands with which ioredis begins, and to any other one. */
const REPLIES: Record<string, string> = { HELLO: '%1\r\n+proto\r\n:3\r\n', INFO: '$9\r\nloading:0\r\n' }

/** Starts a server that speaks Redis' protocol and rejects `incr`. Returns its URL and the number of its connections. */
async function rejectingServer(rejection: string) {
  const state = { connections: 0 }
  const server = createServer((socket) => {
    state.connections += 1
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      // Each command is an array of bulk strings: *COUNT, $LENGTH, NAME.
      for (const [, name = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(name === 'incr' ? `-${rejection}\r\n` : (REPLIES[name.toUpperCase()] ?? '+OK\r\n'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { state, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Sends a command to a server that rejects it. */
async function sendRejected(rejection: string) {
  const { state, url } = await rejectingServer(rejection)
  const lines: string[] = []
  const redis = connectRedis(url, createLog('test', 'warn', { write: (line) => void lines.push(line) }))
  onTestFinished(() => redis.disconnect())
  await once(redis, 'ready')
  await expect(redis.incr('key')).rejects.toThrow(rejection)
  return { state, lines }
}

test('a rejected command is logged with the reason', async () => {
  const { state, lines } = await sendRejected("OOM command not allowed when used memory > 'maxmemory'.")
  expect(lines).toEqual([expect.stringContaining('OOM command not allowed')])
  expect(state.connections).toBe(1)
})

test('after a write at a replica of Redis a new connection is made, because another server is the primary', async () => {
  const { state } = await sendRejected("READONLY You can't write against a read only replica.")
  await vi.waitFor(() => expect(state.connections).toBeGreaterThan(1), { timeout: 30_000 })
})
