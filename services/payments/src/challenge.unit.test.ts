import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test, vi } from 'vitest'
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

const never = () => Promise.reject(new Error('not called'))

/** A processor with one challenge, whose state the test sets. */
function setUp() {
  const calls: string[] = []
  const bank: { state: ProcessorResult<FoundCharge> | Challenge } = { state: challenge }
  const processor = {
    authorize: async () => (calls.push('authorize'), challenge),
    check: async () => (calls.push('check'), bank.state),
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
  const execute = commandExecutor({ authorizations, processor, log: createLog('payments', 'silent') })
  return {
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
const authenticate = { kind: 'authenticate', action: { type: 'redirect', url } }

test('a repeated command authorizes once, and then checks the challenge', async () => {
  const { authorize, calls, stateOf } = setUp()
  for (let count = 0; count < 3; count++) expect(await authorize()).toMatchObject(authenticate)
  expect(calls).toEqual(['authorize', 'check', 'check'])
  expect(await stateOf()).toBe('challenged')
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
