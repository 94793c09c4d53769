import { cents, problems } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { next, type Authorization } from '#/domain/authorization.ts'
import { learn, learnFound, learnTold } from '#/domain/learn.ts'
import { declineOf } from '#/domain/refusals.ts'

const hold = { amount: cents(1075), token: 'tok_1' }
const common = { orderApiKey: 'o1', releaseRequested: false, ageSeconds: 3 }
const sent: Authorization = { ...common, ...hold, state: 'sent' }
const declined: Authorization = {
  ...common,
  ...hold,
  state: 'declined',
  refusal: { code: 'card-declined', declineCode: 'insufficient_funds' },
}
const at = (state: 'authorized' | 'captured' | 'voided' | 'refunded'): Authorization => ({
  ...common,
  ...hold,
  state,
  processorId: 'auth_1',
})
const tombstone: Authorization = { ...common, state: 'released', releaseRequested: true }
const released = (row: Authorization): Authorization => ({ ...row, releaseRequested: true })

const authorize = { kind: 'authorize', ...hold } as const
const capture = { kind: 'capture', amount: hold.amount } as const
const release = { kind: 'release' } as const
const found = (status: 'authorized' | 'captured') => [{ id: 'auth_1', amount: 1075, status }]
const done = { kind: 'answer', outcome: { kind: 'done' } }
const refused = (code: string) => ({ kind: 'answer', outcome: { kind: 'refused', refusal: { code } } })
const call = (move: string, idempotencyKey: string) => ({ kind: 'call', call: { move, idempotencyKey } })

describe('authorize', () => {
  test('asks with the key and the body of the row, however often', () => {
    expect(next(authorize, sent)).toEqual({
      kind: 'call',
      call: { move: 'authorize', idempotencyKey: 'o1:authorize:1', reference: 'o1', ...hold },
    })
  })
  test('only looks up what was sent more than 20 h ago, when its key may be forgotten', () => {
    const old = { ...sent, ageSeconds: 20 * 3600 + 1 }
    expect(next(authorize, old)).toEqual({
      kind: 'call',
      call: { move: 'find', reference: 'o1', token: 'tok_1' },
    })
    expect(learnFound(old, { kind: 'yes', found: [] })).toMatchObject({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'payment-unavailable' } },
    })
    expect(
      learnFound(old, { kind: 'yes', found: [{ id: 'a', amount: 1075, status: 'authorized' }] }),
    ).toEqual({
      kind: 'moved',
      change: { state: 'authorized', processorId: 'a' },
    })
  })
  test('answers the same again from a final row', () => {
    expect(next(authorize, at('authorized'))).toEqual(done)
    expect(next(authorize, at('captured'))).toEqual(done)
    expect(next(authorize, declined)).toEqual({
      kind: 'answer',
      outcome: {
        kind: 'refused',
        refusal: {
          code: 'card-declined',
          declineCode: 'insufficient_funds',
          detail: 'The card does not have sufficient funds. Please use another card.',
        },
      },
    })
  })
  test('is refused after a release, and gives back what is held', () => {
    expect(next(authorize, tombstone)).toMatchObject(refused('payment-unavailable'))
    expect(next(authorize, released(at('voided')))).toMatchObject(refused('payment-unavailable'))
    expect(next(authorize, released(at('authorized')))).toMatchObject(call('void', 'o1:void:1'))
  })
  test('another amount or card for the same order is a mistake', () => {
    expect(next({ ...authorize, amount: cents(1) }, sent)).toMatchObject({ kind: 'mistake' })
    expect(next({ ...authorize, token: 'tok_2' }, at('authorized'))).toMatchObject({ kind: 'mistake' })
  })
  test.each([
    ['card_declined', 'generic_decline', 'card-declined'],
    ['expired_card', 'expired_card', 'card-expired'],
    ['incorrect_cvc', 'incorrect_cvc', 'cvc-failed'],
    ['amount_too_small', 'amount_too_small', 'below-card-minimum'],
    ['amount_too_large', 'amount_too_large', 'total-too-large'],
    ['no_such_token', 'no_such_token', 'payment-not-possible'],
  ])('a definite no of %s, %s is %s', (code, declineCode, ours) => {
    expect(learn(sent, 'authorize', { kind: 'no', code, declineCode })).toEqual({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: ours, declineCode } },
    })
  })
  test('no definite no of the processor is answered as a problem that a retry could solve', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (code) => {
        expect(problems[declineOf({ code, declineCode: code }).code].retryable).toBe(false)
      }),
      { examples: [['amount_too_small'], ['amount_too_large'], ['parameter_invalid_integer'], ['toString']] },
    )
  })
})

describe('release', () => {
  test('finds out what is unknown before it undoes it', () => {
    expect(next(release, released(sent))).toMatchObject(call('authorize', 'o1:authorize:1'))
  })
  test('voids what is held, refunds what was taken, and is done with the rest', () => {
    expect(next(release, released(at('authorized')))).toMatchObject(call('void', 'o1:void:1'))
    expect(next(release, released(at('captured')))).toMatchObject(call('refund', 'o1:refund:1'))
    for (const row of [declined, at('voided'), tombstone]) {
      expect(next(release, released(row))).toMatchObject({
        outcome: { kind: 'done', paymentState: 'VOIDED' },
      })
    }
    expect(next(release, released(at('refunded')))).toMatchObject({
      outcome: { kind: 'done', paymentState: 'REFUNDED' },
    })
  })
  test('gives back a hold of another amount too, and says so', () => {
    const learnt = learn(released(sent), 'authorize', { kind: 'yes', id: 'auth_1', amount: 1 })
    expect(learnt).toMatchObject({ kind: 'moved', change: { state: 'authorized', processorId: 'auth_1' } })
    expect(learnt).toHaveProperty('alarm', 'the processor says authorized 1 cents, ours are 1075')
  })
})

describe('capture', () => {
  test('takes the whole amount once', () => {
    expect(next(capture, at('authorized'))).toEqual({
      kind: 'call',
      call: { move: 'capture', idempotencyKey: 'o1:capture:1', id: 'auth_1', amount: 1075 },
    })
    expect(next(capture, at('captured'))).toEqual(done)
  })
  test('another amount than the one held, or nothing held, is a mistake', () => {
    expect(next({ kind: 'capture', amount: cents(1) }, at('authorized'))).toMatchObject({ kind: 'mistake' })
    expect(next(capture, sent)).toMatchObject({ kind: 'mistake' })
    expect(next(capture, declined)).toMatchObject({ kind: 'mistake' })
    expect(next(capture, at('voided'))).toMatchObject({ kind: 'mistake' })
  })
  test('is not answered once a release was asked for', () => {
    expect(next(capture, tombstone)).toMatchObject({ kind: 'silence' })
    expect(next(capture, released(at('voided')))).toMatchObject({ kind: 'silence' })
    expect(next(capture, released(at('captured')))).toMatchObject(call('refund', 'o1:refund:1'))
  })
})

describe('what the processor says', () => {
  test('unknown moves nothing', () => {
    const unknown = { kind: 'unknown', reason: 'UND_ERR_SOCKET', sent: true } as const
    expect(learn(sent, 'authorize', unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
    expect(learnFound(sent, unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
  })
  test('another amount is never accepted', () => {
    const other = { kind: 'yes', id: 'auth_1', amount: 1076 } as const
    expect(learn(sent, 'authorize', other)).toMatchObject({ kind: 'mistake' })
    expect(learn(at('authorized'), 'capture', other)).toMatchObject({ kind: 'mistake' })
  })
  test('a refused void is looked up: captured meanwhile is refunded, held still is a mistake', () => {
    const row = released(at('authorized'))
    expect(learn(row, 'void', { kind: 'no', code: 'already_captured', declineCode: '' })).toEqual({
      kind: 'look-up',
      refused: 'void: already_captured',
    })
    expect(learnFound(row, { kind: 'yes', found: found('captured') })).toMatchObject({
      kind: 'moved',
      change: { state: 'captured' },
    })
    expect(learnFound(row, { kind: 'yes', found: found('authorized') }, 'void')).toMatchObject({
      kind: 'mistake',
    })
    expect(learnFound(row, { kind: 'yes', found: [] })).toMatchObject({ kind: 'mistake' })
  })
  test('two authorizations of one order are a mistake', () => {
    const two = [
      { id: 'a', amount: 1075, status: 'voided' as const },
      { id: 'b', amount: 1075, status: 'authorized' as const },
    ]
    expect(learnFound(sent, { kind: 'yes', found: two })).toMatchObject({ kind: 'mistake' })
  })
})

const told = (status: 'authorized' | 'captured' | 'voided' | 'refunded', amount = 1075) => ({
  id: 'auth_1',
  amount,
  status,
})

describe('what the processor says unasked', () => {
  const no = { status: 'declined', code: 'expired_card', declineCode: 'expired_card' } as const

  test('moves the row to the right, and never back', () => {
    expect(learnTold(sent, told('authorized'))).toEqual({
      kind: 'moved',
      change: { state: 'authorized', processorId: 'auth_1' },
    })
    expect(learnTold(at('captured'), told('refunded'))).toMatchObject({ change: { state: 'refunded' } })
    expect(learnTold(at('captured'), told('authorized'))).toBeNull()
    expect(learnTold(at('voided'), told('voided'))).toBeNull()
  })
  test('declines what was only sent', () => {
    expect(learnTold(sent, no)).toMatchObject({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'card-expired' } },
    })
    expect(learnTold(at('authorized'), no)).toBeNull()
    expect(learnTold(declined, no)).toBeNull()
  })
  test('another amount, another currency or a second hold is for a person', () => {
    expect(learnTold(sent, told('authorized', 1))).toMatchObject({ kind: 'mistake' })
    expect(learnTold(sent, { ...told('authorized'), differs: 'eur' })).toMatchObject({ reason: 'eur' })
    expect(learnTold(at('authorized'), { ...told('captured'), id: 'auth_2' })).toMatchObject({
      kind: 'mistake',
    })
    expect(learnTold(at('authorized'), { ...told('voided'), id: 'auth_2' })).toBeNull()
  })
  test('money that is held for an order that was declined or called off is for a person', () => {
    for (const row of [declined, tombstone]) {
      expect(learnTold(row, told('authorized'))).toMatchObject({ kind: 'mistake' })
      expect(learnTold(row, told('voided'))).toBeNull()
    }
  })
  test('a hold that is to be given back is known from then on, whatever its amount', () => {
    expect(learnTold(released(sent), told('authorized', 1))).toMatchObject({
      kind: 'moved',
      change: { state: 'authorized' },
      alarm: expect.stringContaining('1 cents') as string,
    })
  })
})
