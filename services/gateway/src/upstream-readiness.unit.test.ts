import type { RequestListener } from 'node:http'
import { Replicas } from '@platter/kit'
import { startHttpServer } from '@platter/testkit/http-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readinessOf } from '#/upstream-readiness.ts'

async function replica(listener: RequestListener): Promise<string> {
  const { url, close } = await startHttpServer(listener)
  onTestFinished(close)
  return url
}

const ready: RequestListener = (_request, response) => response.end('{"status":"ready"}')
const without = (failures: Record<string, string>): RequestListener =>
  function respond(_request, response) {
    response.writeHead(503).end(JSON.stringify({ status: 'not ready', failures }))
  }

/** Stops the clock of deadlines until the test ends. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('a service is ready while one of its replicas is', async () => {
  const replicas = new Replicas([await replica(without({ postgres: 'x' })), await replica(ready)])
  const isReady = readinessOf(replicas)
  await expect(isReady()).resolves.toBeUndefined()
  await replicas.close()
})

test('the reason names what a service lacks, without addresses and users of its servers', async () => {
  const failures = { postgres: 'password authentication failed for user "orders"', rabbitmq: 'ECONNREFUSED' }
  const replicas = new Replicas([await replica(without(failures))])
  await expect(readinessOf(replicas)()).rejects.toThrow(/^not ready: postgres, rabbitmq$/)
  await replicas.close()
})

/** Responds when the time for its checks is over. Without a limit it responds too late. */
const frozen: RequestListener = (request, response) => {
  const timeoutMs = Number(request.headers['x-platter-timeout-ms'] ?? Number.NaN)
  if (Number.isNaN(timeoutMs)) return
  vi.advanceTimersByTime(timeoutMs)
  without({ postgres: '', ...(timeoutMs === 0 && { rabbitmq: '' }) })(request, response)
}

test('names the frozen PostgreSQL of both replicas, and nothing else when the second has no time for its checks', async () => {
  stopClock()
  const replicas = new Replicas([await replica(frozen), await replica(frozen)])
  await expect(readinessOf(replicas)()).rejects.toThrow(/^not ready: postgres$/)
  await replicas.close()
})

test('a service without a replica that listens is not ready', async () => {
  const replicas = new Replicas(['http://127.0.0.1:1'])
  await expect(readinessOf(replicas)()).rejects.toThrow(/^no response$/)
  await replicas.close()
})

test('many readiness checks at once are one request: clients need no access key for them', async () => {
  let requests = 0
  const replicas = new Replicas([
    await replica((request, response) => {
      requests++
      ready(request, response)
    }),
  ])
  const isReady = readinessOf(replicas)
  await Promise.all(Array.from({ length: 50 }, isReady))
  expect(requests).toBe(1)
  await replicas.close()
})
