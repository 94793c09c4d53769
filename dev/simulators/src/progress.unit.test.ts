import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@platter/kit'
import { afterAll, expect, test } from 'vitest'
import { Progress } from './progress.ts'
import { Receipts } from './receipts.ts'
import type { Order } from './restaurant-api.ts'

const log = createLog('simulators', 'fatal')
const directory = mkdtempSync(join(tmpdir(), 'platter-progress-'))
afterAll(() => rmSync(directory, { recursive: true }))

const PATH = ['PREPARING', 'READY_FOR_PICKUP', 'DELIVERED']
const accepted = { orderApiKey: 'o1', restaurantApiKey: 'r1' }

/** A fake of the restaurants' interface. The test ends each pause. */
class Restaurant {
  /** The remaining statuses by order. */
  readonly orders = new Map<string, string[]>()
  readonly reported: string[] = []
  readonly progress = new Progress({
    api: {
      order: async (_, orderApiKey) => {
        this.reads++
        return this.#read(orderApiKey)
      },
      report: async (_, orderApiKey, to) => this.#report(orderApiKey, to),
      openOrders: async () => [...this.orders.keys()].flatMap((apiKey) => this.#read(apiKey) ?? []),
    },
    stepMs: 1_000,
    log,
    pause: (_, signal) => this.#pause(signal),
  })
  #pauses: (() => void)[] = []
  isDown = false
  reads = 0

  /** Ends all pauses. Resolves when each order is at its next pause or its end. */
  async step(): Promise<number> {
    const due = this.#pauses
    this.#pauses = []
    for (const end of due) end()
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    return due.length
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pauses.push(resolve)
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  }

  #read(apiKey: string): Order | null {
    if (this.isDown) throw new Error('unavailable')
    const remaining = this.orders.get(apiKey)
    return remaining ? { apiKey, nextStatuses: remaining.slice(0, 1) } : null
  }

  #report(apiKey: string, to: string): Order | null {
    if (this.isDown) throw new Error('unavailable')
    const remaining = this.orders.get(apiKey) ?? []
    if (remaining[0] !== to) return null
    this.reported.push(`${apiKey} ${to}`)
    remaining.shift()
    return this.#read(apiKey)
  }
}

test('reports the next status of an order once per step, until the order is delivered', async () => {
  const restaurant = new Restaurant()
  restaurant.orders.set('o1', [...PATH])
  restaurant.progress.follow(accepted)
  restaurant.progress.follow(accepted)
  for (const [at, status] of PATH.entries()) {
    expect(await restaurant.step()).toBe(1)
    expect(restaurant.reported.slice(at)).toEqual([`o1 ${status}`])
  }
  expect(await restaurant.step()).toBe(0)
})

test('an order that the orders service has not committed yet is read again for ten minutes', async () => {
  const restaurant = new Restaurant()
  restaurant.progress.follow(accepted)
  await restaurant.step()
  restaurant.orders.set('o1', [...PATH])
  await restaurant.step()
  expect(restaurant.reported).toEqual(['o1 PREPARING'])
  restaurant.progress.follow({ ...accepted, orderApiKey: 'never' })
  restaurant.progress.end('o1')
  let steps = 0
  while ((await restaurant.step()) > 0) steps++
  expect(steps).toBe(600)
})

test('an order that is cancelled or moved by another client is read again, and ends without a report', async () => {
  const restaurant = new Restaurant()
  restaurant.orders.set('o1', [...PATH])
  restaurant.progress.follow(accepted)
  await restaurant.step()
  restaurant.orders.set('o1', [])
  await restaurant.step()
  await restaurant.step()
  expect(await restaurant.step()).toBe(0)
  expect(restaurant.reported).toEqual(['o1 PREPARING'])
})

test('an outage delays statuses, and skips none', async () => {
  const restaurant = new Restaurant()
  restaurant.orders.set('o1', [...PATH])
  restaurant.progress.follow(accepted)
  restaurant.isDown = true
  await restaurant.step()
  await restaurant.step()
  restaurant.isDown = false
  for (const _ of PATH) await restaurant.step()
  expect(restaurant.reported).toEqual(PATH.map((status) => `o1 ${status}`))
})

test('a report that failed is repeated without another read of the order', async () => {
  const restaurant = new Restaurant()
  restaurant.orders.set('o1', [...PATH])
  restaurant.progress.follow(accepted)
  await restaurant.step()
  restaurant.isDown = true
  await restaurant.step()
  restaurant.isDown = false
  await restaurant.step()
  expect(restaurant.reported).toEqual(['o1 PREPARING', 'o1 READY_FOR_PICKUP'])
  expect(restaurant.reads).toBe(1)
})

test('a restart resumes only the open orders with an accepted receipt', async () => {
  const file = join(directory, 'receipts.jsonl')
  const before = new Receipts(file)
  const receipt = (orderApiKey: string, outcome: 'accepted' | 'refused') =>
    before.record({ orderApiKey, restaurantApiKey: 'r1', webhookId: `order_${orderApiKey}`, outcome })
  await receipt('o1', 'accepted')
  await receipt('o2', 'refused')
  const restaurant = new Restaurant()
  for (const orderApiKey of ['o1', 'o2', 'taken-at-the-console'])
    restaurant.orders.set(orderApiKey, [...PATH])
  await restaurant.progress.resume(new Receipts(file))
  await restaurant.step()
  expect(restaurant.reported).toEqual(['o1 PREPARING'])
})
