import { afterEach, expect, test, vi } from 'vitest'
import { board, clearOrders, hasEarlier, loadDone, put, refund, showEarlier } from '#/orders.ts'
import { notes } from '#/notes.ts'
import { anOrder } from '#/testing/an-order.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  clearOrders()
})

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

test('the urgent note about an order ends with its session, because the next one may be of another restaurant', () => {
  const cancellation = { reason: 'order-cancelled', message: '', cancelledBy: 'customer', date: 1 } as const
  const order = anOrder({})
  put(order)
  put({ ...order, cancellation: { ...cancellation, refund: { amount: 0, state: 'VOIDED' } } })
  expect(notes.value).toMatchObject([{ tone: 'urgent' }])
  clearOrders()
  expect(notes.value).toEqual([])
})

test('the note about a cancellation ends with the reason of the operator, which may have no full stop', () => {
  const cancellation = {
    reason: 'order-cancelled',
    message: 'Power failure',
    cancelledBy: 'operator',
    date: 1,
  } as const
  const order = anOrder({ id: 7 })
  put(order)
  put({ ...order, cancellation: { ...cancellation, refund: { amount: 0, state: 'VOIDED' } } })
  expect(notes.value.map(({ text }) => text)).toEqual([
    'Order 7 was cancelled by the operator. Do not prepare it. Power failure',
  ])
  clearOrders()
})

test('completed orders are on the page after a reload, also behind sixty newer open orders', async () => {
  const open = Array.from({ length: 60 }, (_, at) => anOrder({ apiKey: `open ${at}`, id: 100 + at }))
  const completed = anOrder({ apiKey: 'completed', status: 'DELIVERED' })
  vi.stubGlobal('fetch', async (path: string) => {
    const limit = Number(new URL(path, 'https://platter.example').searchParams.get('limit'))
    return Response.json([...open, completed].slice(0, limit))
  })
  for (const order of open) put(order)
  await loadDone()
  expect(board.value.done).toEqual([completed])
})

test('earlier completed orders of a busy day are shown on request', async () => {
  const day = Array.from({ length: 150 }, (_, at) =>
    anOrder({ apiKey: `order ${at}`, id: 150 - at, status: 'DELIVERED' }),
  )
  vi.stubGlobal('fetch', async (path: string) => {
    const limit = Number(new URL(path, 'https://platter.example').searchParams.get('limit'))
    return Response.json(day.slice(0, limit))
  })
  await loadDone()
  expect([board.value.done.length, hasEarlier.value]).toEqual([50, true])
  const online = fetch
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('the network was lost')))
  await showEarlier()
  expect([notes.value[0]?.text, hasEarlier.value]).toEqual([expect.stringContaining('Try again'), true])
  vi.stubGlobal('fetch', online)
  await showEarlier()
  expect([board.value.done, hasEarlier.value]).toEqual([day, false])
})
