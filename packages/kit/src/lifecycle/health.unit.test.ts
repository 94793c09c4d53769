import { beforeEach, expect, test } from 'vitest'
import type { App } from '#/http/app.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'
import { addHealth } from '#/lifecycle/service.ts'

let app: App
let state: { started: boolean; stopping: AbortController }
let postgres: () => Promise<void>

beforeEach(() => {
  app = createApp(createLog('test', 'silent'))
  state = { started: true, stopping: new AbortController() }
  postgres = async () => undefined
  addHealth({ app, checks: { postgres: () => postgres() } }, state)
})

const statuses = async () => {
  const [live, serving, ready] = await Promise.all(
    ['live', 'serving', 'ready'].map(async (probe) => (await app.inject(`/health/${probe}`)).statusCode),
  )
  return { live, serving, ready }
}

test('a started replica is live, serving and ready', async () => {
  expect(await statuses()).toEqual({ live: 200, serving: 200, ready: 200 })
})

test('a replica whose PostgreSQL is unavailable is serving, and not ready', async () => {
  postgres = async () => {
    throw new Error('connection refused')
  }
  expect(await statuses()).toEqual({ live: 200, serving: 200, ready: 503 })
})

test('a replica whose PostgreSQL is frozen names it within the time that its caller has', async () => {
  postgres = () => new Promise(() => {})
  const { body } = await app.inject({ url: '/health/ready', headers: { 'x-platter-timeout-ms': '50' } })
  expect(JSON.parse(body)).toEqual({
    status: 'not ready',
    // The time until the check begins is subtracted.
    failures: { postgres: expect.stringMatching(/^no result within (\d|[1-4]\d|50) ms$/) as string },
  })
})

test('a starting or stopping replica is live, and neither serving nor ready', async () => {
  state.started = false
  expect(await statuses()).toEqual({ live: 200, serving: 503, ready: 503 })
  state.started = true
  state.stopping.abort()
  expect(await statuses()).toEqual({ live: 200, serving: 503, ready: 503 })
})
