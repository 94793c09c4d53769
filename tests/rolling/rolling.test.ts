import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Stack } from '../../dev/stack.ts'
import { cashOrderSender } from '../support/order-clients.ts'
import { print, startTestStack } from '../support/stack.ts'
import { openRestaurantPage } from '../support/restaurant-page.ts'
import { rollingRestarts } from './rolling.ts'

/** `ROUNDS=10` restarts every replica ten times. By default, one replica of each service restarts once. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 0)
const LENGTH = ROUNDS === 0 ? { rounds: 1, replicas: 1 } : { rounds: ROUNDS, replicas: 2 }

let stack: Stack

beforeAll(async () => {
  stack = await startTestStack('rolling', {
    replicas: 2,
    env: { gateway: { RATE_LIMIT_REQUESTS: '1000000' } },
  })
}, 120_000)

afterAll(() => stack.stop(), 60_000)

/** Opens an idle connection, and one with half a request. A stopping process closes both before its end. */
function openHanging(gateway: string): Socket[] {
  const { hostname, port } = new URL(gateway)
  return ['', 'POST /publicapi/v1/send-order HTTP/1.1\r\nHost: platter\r\nContent-Length: 100\r\n\r\n{'].map(
    (start) => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => socket.destroy())
      socket.write(start)
      return socket
    },
  )
}

test('a rolling restart of every service under load fails no request, and loses no event', async () => {
  const hanging = stack.gateways.flatMap(openHanging)
  const pages = Array.from({ length: 4 }, () => openRestaurantPage(stack))
  const { restarts, requests, failed } = await rollingRestarts(stack, {
    ...LENGTH,
    send: await cashOrderSender(stack.file),
    concurrency: 8,
    pauseMs: 150,
  })
  for (const socket of hanging) socket.destroy()
  print(`${restarts.length} restarts, longest ${Math.max(...restarts)} ms; ${requests} requests`)
  expect(failed).toEqual([])
  for (const page of pages) {
    await vi.waitFor(async () => expect(await page.missing()).toEqual([]), { timeout: 60_000, interval: 100 })
    expect(page.reconnections()).toBeGreaterThan(0)
    await page.close()
  }
  expect(restarts).toHaveLength(LENGTH.rounds * LENGTH.replicas * 5)
}, 1_800_000)
