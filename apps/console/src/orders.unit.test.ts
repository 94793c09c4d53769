import { afterEach, expect, test, vi } from 'vitest'
import { refund } from '#/orders.ts'
import { anOrder } from '#/testing/an-order.ts'

afterEach(() => vi.unstubAllGlobals())

test('a repeated refund has the same Idempotency-Key while the page has not read the refunded order', async () => {
  const order = anOrder({ status: 'PREPARING', payment: 'card' })
  const keys: (string | undefined)[] = []
  let reads = 0
  vi.stubGlobal('fetch', async (_path: string, { method, headers }: RequestInit) => {
    if (method === 'POST') keys.push((headers as Record<string, string>)['idempotency-key'])
    else if (++reads === 1) throw new TypeError('the network was lost')
    return Response.json(method === 'POST' ? { amount: 2.5 } : order)
  })
  const request = { amount: 2.5, reason: 'GOODWILL' } as const
  expect(await refund(order, request)).toBe(false)
  expect(await refund(order, request)).toBe(true)
  expect(await refund(order, request), 'a later refund of the same amount').toBe(true)
  expect(keys).toEqual([expect.any(String), keys[0], expect.not.stringMatching(keys[0] ?? '')])
})
