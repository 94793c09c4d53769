import { cents } from '@platter/contracts'
import type { Problem } from '@platter/kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newOrder, type SagaOrder } from '#/domain/order-state.ts'
import { previewRefund, requestRefund } from '#/saga/request-refund.ts'
import type { Trigger } from '#/saga/domain/transition.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const AT = 1_790_000_000
const placed = newOrder('o1', pricedOrder({ payment: 'card' }), AT)
const charged: SagaOrder = { ...placed, outcome: 'transmitted', paymentState: 'CHARGED' }
const requested = {
  request: { amount: 3, reason: 'LATE', borneBy: 'restaurant' },
  requestedBy: 'restaurant',
} as Parameters<typeof previewRefund>[1]
const key = { accessKeyId: 'k1', path: '/restaurantapi/v1/order/o1/refunds', key: 'k', fingerprint: 'f' }

/** One order. `before`: the changes of other requests, each between a read and its save. */
function orderWith(order: SagaOrder, before: ((order: SagaOrder) => SagaOrder)[] = []) {
  const state = { order, saves: 0 }
  const apply = async (_: string, event: Trigger) => {
    state.order = before.shift()?.(state.order) ?? state.order
    if (event.kind !== 'refund-requested' || event.count !== state.order.refunds.length) return null
    state.saves += 1
    state.order = { ...state.order, refunds: [...state.order.refunds, event.refund] }
    return {} as never
  }
  return { state, deps: { orchestrator: { apply }, read: async () => state.order } }
}

test.each([
  ['card is pending, until the processor has refunded it', charged, 'PENDING'],
  ['cash is done at once', { ...charged, payment: 'cash', paymentState: 'DUE', status: 'PREPARING' }, 'DONE'],
] as const)('a refund by %s', (_, order, state) => {
  vi.useFakeTimers({ toFake: ['Date'], now: AT * 1_000 + 999 })
  onTestFinished(() => void vi.useRealTimers())
  expect(previewRefund(order, requested, 'f1')).toEqual({
    apiKey: 'f1',
    amount: 300,
    items: [],
    delivery: 0,
    tip: 0,
    state,
    reason: 'LATE',
    borneBy: 'restaurant',
    requestedBy: 'restaurant',
    date: AT,
  })
})

test('a refund before the capture is refused (409), to be repeated after 2 s', () => {
  const refused = (() => {
    try {
      return previewRefund({ ...charged, paymentState: 'AUTHORIZED' }, requested)
    } catch (error) {
      return error as Problem
    }
  })()
  expect(refused).toMatchObject({ code: 'not-charged-yet', status: 409, retryAfterSeconds: 2 })
})

test('a repeated request with the same Idempotency-Key refunds once, and other requests refund again', async () => {
  const { state, deps } = orderWith(charged)
  const [first, repeated] = [
    await requestRefund(deps, requested, key),
    await requestRefund(deps, requested, key),
  ]
  expect([repeated.apiKey, state.saves]).toEqual([first.apiKey, 1])
  await requestRefund(deps, requested, { ...key, key: 'another' })
  await requestRefund(deps, requested, null)
  expect(state.order.refunds).toHaveLength(3)
})

test('another request with the Idempotency-Key of a refund is refused (422), also after the key was deleted', async () => {
  const { state, deps } = orderWith(charged)
  const first = await requestRefund(deps, requested, key)
  expect(first).not.toHaveProperty('fingerprint')
  const other = { ...key, fingerprint: 'g' }
  await expect(requestRefund(deps, requested, other)).rejects.toMatchObject({ code: 'idempotency-mismatch' })
  expect(await requestRefund(deps, requested, { ...other, otherFingerprint: 'f' })).toEqual(first)
  const [{ fingerprint: _, ...earlier } = state.order.refunds[0]!] = state.order.refunds
  state.order = { ...state.order, refunds: [earlier] }
  expect(await requestRefund(deps, requested, other), 'of an earlier version').toEqual(first)
  expect(state.saves).toBe(1)
})

test('a refund is computed again when another one was saved since its order was read', async () => {
  const other = { ...previewRefund(charged, requested), amount: cents(800) }
  const { state, deps } = orderWith(charged, [(order) => ({ ...order, refunds: [other] })])
  await expect(requestRefund(deps, requested, key)).rejects.toMatchObject({
    code: 'refund-too-large',
    faults: [{ detail: 'At most 2.75 can be refunded.' }],
  })
  expect(state.saves).toBe(0)
})

test('a refund whose order changes before each of five saves is refused (503)', async () => {
  const small = { ...previewRefund(charged, requested), amount: cents(1) }
  const change = (order: SagaOrder) => ({ ...order, refunds: [...order.refunds, small] })
  const { state, deps } = orderWith(
    charged,
    Array.from({ length: 5 }, () => change),
  )
  await expect(requestRefund(deps, requested, key)).rejects.toMatchObject({ status: 503 })
  expect([state.saves, state.order.refunds.length]).toEqual([0, 5])
})
