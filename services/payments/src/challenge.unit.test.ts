import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { commandExecutor } from '#/command-executor.ts'
import type { Challenge, Effect, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'

const terms = { amount: cents(1075), token: 'tok_1', authentication: { returnUrl: null } }
const url = 'https://bank.example/1'
const challenge: Challenge = { kind: 'challenge', id: 'auth_1', url }
const authorized: ProcessorResult<FoundCharge> = {
  kind: 'yes',
  id: 'auth_1',
  amount: cents(1075),
  status: 'authorized',
}
const refusedResult = { kind: 'no', code: 'card_declined', declineCode: 'authentication_required' } as const

const NOW = 1_790_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1_000 }))
afterEach(() => void vi.useRealTimers())

const never = () => Promise.reject(new Error('not called'))

/** A processor with one challenge, whose state the test sets. */
function setUp() {
  const calls: string[] = []
  const bank: { state: ProcessorResult<FoundCharge> | Challenge } = { state: challenge }
  const processor = {
    authorize: async () => (calls.push('authorize'), challenge),
    check: async ({ id, authentication }: { id: string; authentication?: object | undefined }) => {
      calls.push('check')
      expect([id, authentication]).toEqual(['auth_1', terms.authentication])
      return bank.state
    },
    async void(): Promise<ProcessorResult<Effect>> {
      calls.push('void')
      if (bank.state.kind === 'no')
        return { kind: 'no', code: 'already_voided', declineCode: 'already_voided' }
      bank.state = refusedResult
      return { kind: 'yes', id: 'auth_1', amount: cents(1075) }
    },
    capture: never,
    refund: never,
    find: never,
  }
  const authorizations = memoryAuthorizations()
  const declined: string[] = []
  const limits = { countDeclineOfToken: async (token: string) => void declined.push(token) }
  const execute = commandExecutor({ authorizations, processor, limits, log: createLog('payments', 'silent') })
  return {
    declined,
    authorizations,
    processor,
    calls,
    bank,
    authorize: async () =>
      execute({ kind: 'authorize', ...terms }, await authorizations.findOrCreate('o1', terms)),
    release: async () => execute({ kind: 'release' }, await authorizations.requestRelease('o1')),
    stateOf: async () => (await authorizations.find('o1'))?.state,
  }
}
/** The customer has ten minutes from the first call, also after later checks. */
const authenticate = { kind: 'authenticate', action: { type: 'redirect', url, expires: NOW + 600 } }

test('a repeated command authorizes once, and then checks the challenge', async () => {
  const { authorize, calls, stateOf } = setUp()
  for (let count = 0; count < 3; count++) expect(await authorize()).toMatchObject(authenticate)
  expect(calls).toEqual(['authorize', 'check', 'check'])
  expect(await stateOf()).toBe('challenged')
})

test('a check that is late, after another replica has authorized the order, is done', async () => {
  const { authorize, authorizations, processor } = setUp()
  await authorize()
  const { check } = processor
  processor.check = async (call) => {
    const row = (await authorizations.find('o1'))!
    await authorizations.move(row, { state: 'authorized', processorId: 'auth_1' })
    return check(call)
  }
  expect(await authorize()).toEqual({ kind: 'done' })
})

test('an approved challenge authorizes the order, and a declined one declines it', async () => {
  const one = setUp()
  await one.authorize()
  one.bank.state = authorized
  expect(await one.authorize()).toEqual({ kind: 'done' })
  expect(await one.stateOf()).toBe('authorized')
  const other = setUp()
  await other.authorize()
  other.bank.state = refusedResult
  expect(await other.authorize()).toMatchObject({ kind: 'refused', refusal: { code: 'card-declined' } })
  expect(await other.stateOf()).toBe('declined')
})

test('a decline after a challenge counts once as a decline of its card, and an approval does not count', async () => {
  const { authorize, bank, declined } = setUp()
  await authorize()
  expect(declined).toEqual([])
  bank.state = refusedResult
  await authorize()
  await authorize()
  expect(declined).toEqual(['tok_1'])
  const other = setUp()
  await other.authorize()
  other.bank.state = authorized
  await other.authorize()
  expect(other.declined).toEqual([])
})

test.each([
  ['before the bank has a result', challenge],
  ['after its approval', authorized],
] as const)('a release voids a challenge %s', async (_, state) => {
  const { authorize, release, bank, calls, stateOf } = setUp()
  await authorize()
  bank.state = state
  expect(await release()).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(calls).toEqual(['authorize', 'void'])
  expect(await stateOf()).toBe('voided')
  expect(await authorize()).toMatchObject({ kind: 'refused' })
})

test('a release that is requested during the first call voids the challenge', async () => {
  const { authorize, authorizations, processor, calls, stateOf } = setUp()
  const { authorize: callBank } = processor
  processor.authorize = async () => {
    await authorizations.requestRelease('o1')
    return callBank()
  }
  expect(await authorize()).toMatchObject({ kind: 'refused', refusal: { code: 'payment-unavailable' } })
  expect(calls).toEqual(['authorize', 'void'])
  expect(await stateOf()).toBe('voided')
})

test('a release whose void is refused while the bank still waits is recorded, and repeated', async () => {
  const { authorize, release, authorizations, processor, stateOf } = setUp()
  await authorize()
  processor.void = async () => ({ kind: 'no', code: 'already_captured', declineCode: '' })
  const recordUnknown = vi.spyOn(authorizations, 'recordUnknown')
  expect(await release()).toBeNull()
  expect(await stateOf()).toBe('challenged')
  expect(recordUnknown.mock.calls[0]?.[0].reason).toBe(
    'the bank still awaits the customer, yet the processor refused void: already_captured',
  )
})

test('a release after a declined challenge returns VOIDED, and the state stays declined', async () => {
  const { authorize, release, bank, stateOf } = setUp()
  await authorize()
  bank.state = refusedResult
  expect(await release()).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(await stateOf()).toBe('declined')
})

test('an unknown result of a check leaves the challenge open, is recorded, and has no reply', async () => {
  const { authorize, authorizations, bank, stateOf } = setUp()
  await authorize()
  bank.state = { kind: 'unknown', reason: 'ECONNRESET' }
  const recordUnknown = vi.spyOn(authorizations, 'recordUnknown')
  expect(await authorize()).toBeNull()
  expect(await stateOf()).toBe('challenged')
  const recorded = { row: expect.anything() as unknown, call: 'check', reason: 'ECONNRESET' }
  expect(recordUnknown).toHaveBeenCalledExactlyOnceWith(recorded)
})

test('a check that finds the challenge open after an unknown result saves the row, so that it is no incident', async () => {
  const { authorize, authorizations, bank } = setUp()
  await authorize()
  bank.state = { kind: 'unknown', reason: 'ECONNRESET' }
  await authorize()
  bank.state = challenge
  const move = vi.spyOn(authorizations, 'move')
  expect(await authorize()).toMatchObject(authenticate)
  expect(move).toHaveBeenCalledOnce()
})
