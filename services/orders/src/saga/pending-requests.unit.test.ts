import { OrderMoved } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { Standing } from '#/domain/order-state.ts'
import { PendingRequests } from '#/saga/pending-requests.ts'

const orderApiKey = 'a'.repeat(48)
const refusal = { code: 'card-declined', detail: 'The card was declined.' } as const
const failed: Standing = { kind: 'failed', refusal }

/** Two replicas, and the events between them as they are on the wire. */
function twoReplicas() {
  const other = new PendingRequests({ publishEvent: () => undefined })
  const own = new PendingRequests({
    publishEvent: (_event, data) => other.moved(OrderMoved.data.parse(data)),
  })
  return { own, other }
}

test('a request on another replica learns why its order failed from the event, without reading the row', async () => {
  const { own, other } = twoReplicas()
  using request = other.add(orderApiKey)
  const found = request.until(async (known) => known, 10_000)
  own.announce(orderApiKey, failed)
  expect(await found).toEqual(failed)
  expect(request.known).toEqual(failed)
})

test('any other event says only that the row has changed', async () => {
  const { own, other } = twoReplicas()
  using request = other.add(orderApiKey)
  const found = request.until(async (known) => known ?? 'read the row', 10_000)
  own.announce(orderApiKey)
  expect(await found).toBe('read the row')
  expect(request.known).toBeNull()
})
