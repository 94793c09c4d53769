import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import type { PlacedOrder } from '#/domain/order.ts'
import type { Stores } from '#/store/stores.ts'
import { Deliveries } from '#/delivery/deliver.ts'
import { LEASE_MS } from '#/domain/order-state.ts'

const order = { apiKey: 'o1', restaurantApiKey: 'r1' } as PlacedOrder
const link = { kind: 'webhook', url: 'https://kitchen.example/', secret: '', reports: 'detailed' } as const

/** What a first attempt does whose lease was acquired so long ago. */
async function attempt(ageMs: number): Promise<string[]> {
  const done: string[] = []
  const deliveries = new Deliveries({
    // An attempt that is accepted at once makes no statement.
    ...({} as Stores),
    log: createLog('test', 'fatal'),
    defaultLink: link,
    orchestrator: {
      apply: async (_, trigger) => {
        if (trigger.kind === 'delivered') done.push(trigger.result.outcome)
        return null
      },
    },
    notifier: { publish: () => undefined },
    transmit: async (_, { webhookId }) => {
      done.push(webhookId)
      return { kind: 'accepted' }
    },
  })
  deliveries.begin(order, link, performance.now() - ageMs)
  await deliveries.quiesce()
  return done
}

test('an order is sent while the lease is valid, and its acceptance reaches the saga', async () => {
  expect(await attempt(0)).toEqual(['order_o1', 'accepted'])
})

test('a replica that was frozen until its lease expired sends nothing', async () => {
  expect(await attempt(LEASE_MS)).toEqual([])
})
