import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { cashOrderSender } from '../support/order-clients.ts'
import { print, startTestStack } from '../support/stack.ts'
import { rollingRestarts, type Send } from './rolling.ts'

/* The steps of docs/kubernetes.md, "INTERNAL_SECRET", with running services under load. */

const [old, next] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
/** The launcher reads these variables at every start of a process. */
const env: Record<string, Record<string, string>> = {}

let stack: Stack
let send: Send

function setSecrets(secrets: { INTERNAL_SECRET: string; INTERNAL_SECRET_OTHER?: string }): void {
  for (const name of serviceNames) {
    env[name] = { RATE_LIMIT_REQUESTS: '1000000', ...secrets }
  }
}

beforeAll(async () => {
  setSecrets({ INTERNAL_SECRET: old })
  stack = await startTestStack('secret-rotation', {
    replicas: 2,
    env,
  })
  send = await cashOrderSender(stack.file)
}, 120_000)

afterAll(() => stack.stop(), 60_000)

test('no request fails while INTERNAL_SECRET is changed under load', async () => {
  const failed: string[] = []
  let requests = 0
  for (const secrets of [
    { INTERNAL_SECRET: old, INTERNAL_SECRET_OTHER: next },
    { INTERNAL_SECRET: next, INTERNAL_SECRET_OTHER: old },
    { INTERNAL_SECRET: next },
  ]) {
    setSecrets(secrets)
    const load = { send, concurrency: 4, pauseMs: 150 }
    const rolled = await rollingRestarts(stack, { rounds: 1, replicas: 2, ...load })
    failed.push(...rolled.failed)
    requests += rolled.requests
  }
  print(`${requests} requests`)
  expect(failed).toEqual([])
  expect(requests).toBeGreaterThan(100)
}, 1_800_000)
