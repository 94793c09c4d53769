import { CancelOrder } from '@platter/contracts'
import { callOf } from '@platter/testkit/call'
import { expect, test } from 'vitest'
import { cancelOrder } from '#/delivery/routes/cancel-order.ts'
import { transition } from '#/saga/domain/transition.ts'
import { at, states } from '#/testing/sagas.ts'

type Deps = Parameters<typeof cancelOrder>[0]

/** Cancels an order whose saga is in this state, a second after its placement. */
function cancel(name: string, query = {}) {
  const now = states()[name]!
  const datePlaced = Math.floor(Date.now() / 1_000) - 1
  const order = { ...now.order, datePlaced, isReturned: true, isRead: true, applicationId: 'a1' }
  const orders = { find: async () => order } as unknown as Deps['orders']
  const handle = cancelOrder({
    orders,
    tenantStores: () => ({ orders }) as ReturnType<Deps['tenantStores']>,
    bus: {} as Deps['bus'],
    sagas: { load: async () => now },
    orchestrator: {
      async apply(_, trigger) {
        const next = transition(now.order, now.saga, { ...trigger, at })
        return next === 'stale' ? null : next
      },
    },
    idempotent: (() => ({ executeRepeatable: (_call: unknown, work: () => unknown) => work() })) as never,
  })
  const principal = { applicationId: 'a1', mode: 'live' } as never
  return handle(
    callOf(CancelOrder, { params: { apiKey: 'o1' }, query: { 'validate-only': false, ...query }, principal }),
  )
}

test('a pending order is offered for cancellation', async () => {
  expect(await cancel('transmit', { 'validate-only': true })).toMatchObject({ cancellable: true })
})

test('an order whose void is in progress after a failure is not offered, and its cancellation is 503: it is not too late', async () => {
  const offer = await cancel('compensate, unreachable', { 'validate-only': true })
  expect(offer).toEqual({ cancellable: false, until: null, refund: { amount: 0 } })
  await expect(cancel('compensate, unreachable')).rejects.toMatchObject({ code: 'service-unavailable' })
})
