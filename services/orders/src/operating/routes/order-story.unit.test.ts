import { GetOrderStory } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { callOf } from '@platter/testkit/call'
import { expect, test } from 'vitest'
import { findStory } from '#/operating/find-story.ts'
import { getOrderStory } from '#/operating/routes/order-story.ts'
import type { StoredStory } from '#/store/order-story.ts'
import type { Stores } from '#/store/stores.ts'
import { states } from '#/testing/sagas.ts'

function storyOf(now: ReturnType<typeof states>[string] | undefined): StoredStory {
  if (!now) throw new Error('there is no such state')
  const { order, saga } = now
  const found = { ...order, isReturned: false, isRead: false, applicationId: 'a1' }
  const row = { ...saga, wakeAt: 1, deadline: 2, finished: null }
  return { order: found, saga: row, delivery: null, requestId: 'q1', traceparent: null }
}

/** Reads a story, by default of an order that is being captured; `payments` is the call of the payments service. */
function read(payments: () => Promise<unknown>, story = storyOf(states()['capture'])) {
  const handle = getOrderStory({
    orders: { statuses: async () => [{ status: 'PROCESSING', date: 1 }] } as Partial<
      Stores['orders']
    > as Stores['orders'],
    orderStories: { find: async () => story },
    payments: payments as Parameters<typeof getOrderStory>[0]['payments'],
  })
  return handle(callOf(GetOrderStory, { params: { apiKey: 'o1' } }))
}

test('while payments is unavailable, the story has all other facts and `paymentUnavailable`', async () => {
  const story = await read(() =>
    Promise.reject(new Problem('service-unavailable', 'payments does not respond')),
  )
  expect(story).toMatchObject({
    order: { apiKey: 'o1' },
    statuses: [{ status: 'PROCESSING' }],
    saga: { step: 'capture' },
    payment: null,
    paymentUnavailable: true,
  })
})

test('the story of an order without a payment has no payment, and not `paymentUnavailable`', async () => {
  expect(await read(async () => ({ payment: null }))).toMatchObject({
    payment: null,
    paymentUnavailable: false,
  })
})

test.each([
  ['running', 'compensate, refused', null, { step: 'authorize', undo: true, wakeAt: 1 }],
  ['completed', 'completed', 3, { step: null, undo: false, wakeAt: null, refusal: null }],
  [
    'failed',
    'failed, declined',
    3,
    { step: null, wakeAt: null, refusal: { code: 'card-declined', declineCode: null } },
  ],
] as const)('the saga is %s in the state "%s"', async (state, name, finished, saga) => {
  const story = storyOf(states()[name])
  const found = { ...story, traceparent: '00-trace-span-01', saga: { ...story.saga, finished } }
  expect(await read(async () => ({ payment: null }), found)).toMatchObject({
    saga: { state, finished, deadline: 2, attempts: 1, ...saga },
    traceId: 'trace',
  })
})

test.each(['34', '0'.repeat(48)])(
  '404 for %s names the command that finds an order',
  async (apiKeyOrNumber) => {
    const found = findStory({ find: async () => null }, apiKeyOrNumber)
    await expect(found).rejects.toMatchObject({
      code: 'order-not-found',
      message: 'There is no order with this apiKey or number. Find it with: platter orders find --help',
    })
  },
)
