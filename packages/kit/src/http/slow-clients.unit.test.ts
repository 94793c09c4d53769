import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readJson } from '#/http/body-parsers.ts'
import type { App } from '#/http/app.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

/** Instead of 5 s and 15 s. They also apply to the requests that are served meanwhile, on a machine that may stall for 3 s. */
const SHORT = { headersTimeout: 4_000, requestTimeout: 5_000 }

let app: App
beforeAll(async () => {
  app = createApp(createLog('test', 'silent'), { exposed: { trustedProxies: [] } })
  readJson(app)
  app.post('/', async () => ({}))
  app.get('/', async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

/** Opens a connection that sends only `start`. Resolves at its end with all received text. */
function sendStart(start: string): Promise<string> {
  const port = Number(new URL(app.listeningOrigin).port)
  return new Promise((resolve) => {
    let received = ''
    const socket: Socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(received))
    socket.write(start)
  })
}

test('a head may take 5 s, a request 15 s, and a connection without traffic 30 s', () => {
  const { headersTimeout, requestTimeout, timeout } = app.server
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({
    headersTimeout: 5_000,
    requestTimeout: 15_000,
    timeout: 30_000,
  })
})

test('closes 300 connections with no or half a request, and serves other clients meanwhile', async () => {
  Object.assign(app.server, SHORT)
  const starts = [
    '',
    'GET / HTTP/1.1\r\nhost: x\r\nx-',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{',
  ]
  const closed = Promise.all(Array.from({ length: 300 }, (_, number) => sendStart(starts[number % 3]!)))
  let served = 0
  const over = new AbortController()
  const other = (async () => {
    while (!over.signal.aborted) {
      expect((await fetch(app.listeningOrigin)).status).toBe(200)
      served += 1
      // Without a pause, this client uses an entire core of other tests for 5 s.
      await wait(25)
    }
  })()
  const responses = await closed
  over.abort()
  await other
  expect(served).toBeGreaterThan(0)
  const [nothing, ...halves] = starts.map((_, start) =>
    responses.filter((_response, number) => number % 3 === start),
  )
  // A response to a connection without a request would be taken for that of the next request.
  expect(new Set(nothing)).toEqual(new Set(['']))
  const late = halves.flat().filter((response) => response.includes('did not arrive completely in time'))
  expect(late).toHaveLength(200)
})
