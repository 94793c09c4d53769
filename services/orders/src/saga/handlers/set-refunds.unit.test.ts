import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { setRefunds } from '#/saga/handlers/set-refunds.ts'
import type { Trigger } from '#/saga/domain/transition.ts'

const AT = 1_790_000_000
const mirror = {
  orderApiKey: 'o1',
  version: 3,
  refunds: [{ id: 're_1', amount: cents(500), state: 'DONE' as const, date: AT }],
  failed: ['f1'],
  dispute: null,
}

/** Sets a mirror. Returns the events of the saga, and the confirmed versions. */
async function set({ isApplied, exists }: { isApplied: boolean; exists: boolean }) {
  const events: Trigger[] = []
  const confirmed: unknown[] = []
  const handler = setRefunds({
    sagas: { load: async () => (exists ? {} : null) } as never,
    orchestrator: { apply: async (_, event) => (events.push(event), isApplied ? ({} as never) : null) },
    bus: { publish: async (_, data) => void confirmed.push(data) },
    log: createLog('test', 'silent'),
  })
  await handler(mirror, { requestId: 'q' })
  return { events, confirmed }
}
const confirmation = [{ orderApiKey: 'o1', version: 3 }]

test('a mirror is set with one apiKey for each refund of the processor, and confirmed', async () => {
  const [one, other] = [
    await set({ isApplied: true, exists: true }),
    await set({ isApplied: true, exists: true }),
  ]
  expect(one.events).toMatchObject([
    {
      kind: 'mirrored',
      version: 3,
      failed: ['f1'],
      dispute: null,
      refunds: [
        {
          apiKey: expect.stringMatching(/^[0-9a-f]{48}$/) as string,
          amount: 500,
          state: 'DONE',
          date: AT,
          reason: 'OTHER',
          items: [],
          delivery: 0,
          tip: 0,
          requestedBy: 'processor',
          borneBy: 'platform',
        },
      ],
    },
  ])
  expect(other.events).toEqual(one.events)
  expect(one.confirmed).toEqual(confirmation)
})

test('a mirror before the capture is not confirmed, so payments publishes it again', async () => {
  expect((await set({ isApplied: false, exists: true })).confirmed).toEqual([])
})

test('a mirror of an order that does not exist is confirmed, because it could never be set', async () => {
  expect((await set({ isApplied: false, exists: false })).confirmed).toEqual(confirmation)
})
