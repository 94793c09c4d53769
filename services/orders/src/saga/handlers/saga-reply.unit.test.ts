import type { Outcome, Refusal } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { handleReply } from '#/saga/handlers/saga-reply.ts'
import type { Trigger } from '#/saga/domain/transition.ts'

const closed: Refusal = { code: 'restaurant-closed', detail: 'Closed.' }
const action = { type: 'redirect', url: 'https://bank.example/1', expires: 1_790_000_600 } as const
const done: Outcome = { kind: 'done' }
const declined: Outcome = { kind: 'refused', refusal: { code: 'card-declined', detail: 'Declined.' } }

type Reply = Parameters<ReturnType<typeof handleReply>>[0]

/** Handles a reply to an authorization. Returns the event of the saga, and the number of checks of the order. */
async function handle(changes: Partial<Reply>, recheck: Refusal | 'unknown' | null = null) {
  const events: Trigger[] = []
  let checks = 0
  const handler = handleReply({
    orchestrator: { apply: async (_, event) => (events.push(event), null) },
    recheck: async () => ((checks += 1), recheck),
    log: createLog('test', 'silent'),
  })
  const reply = { orderApiKey: 'o1', step: 'authorize', undo: false, version: 1, attempt: 1, outcome: done }
  await handler({ ...reply, ...changes }, { requestId: 'q' })
  return { events, checks }
}
const replied = { kind: 'replied', step: 'authorize', isCompensation: false, version: 1 } as const

test.each<[title: string, given: Parameters<typeof handle>, events: object[], checks: number]>([
  ['a reply without a challenge', [{}], [{ ...replied, outcome: done }], 0],
  [
    'an approved challenge of an order that can be transmitted',
    [{ isAuthenticating: true }],
    [{ ...replied, outcome: done, challenge: { recheck: null } }],
    1,
  ],
  [
    'an approved challenge of a restaurant that has closed',
    [{ isAuthenticating: true }, closed],
    [{ ...replied, outcome: done, challenge: { recheck: closed } }],
    1,
  ],
  ['an approved challenge while catalog is unavailable', [{ isAuthenticating: true }, 'unknown'], [], 1],
  [
    'a declined challenge',
    [{ isAuthenticating: true, outcome: declined }, closed],
    [{ ...replied, outcome: declined, challenge: { recheck: null } }],
    0,
  ],
  [
    'a challenge that is still open',
    [{ isAuthenticating: true, outcome: { kind: 'authenticate', action } }, closed],
    [{ ...replied, outcome: { kind: 'authenticate', action } }],
    0,
  ],
  [
    'the result of a refund',
    [{ step: 'refund', refund: 'f1' }],
    [{ ...replied, step: 'refund', outcome: done, refund: 'f1' }],
    0,
  ],
])('%s : the event of the saga, and the number of checks', async (_, given, events, checks) => {
  expect(await handle(...given)).toEqual({ events, checks })
})
