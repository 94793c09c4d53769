import { cents, problems } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextStep, type Authorization } from '#/domain/authorization.ts'
import { interpretEffect, interpretLookup, interpretReport } from '#/domain/processor-result.ts'
import { declineOf } from '#/domain/declines.ts'

const terms = { amount: cents(1075), token: 'tok_1' }
const common = { orderApiKey: 'o1', releaseRequested: false, ageSeconds: 3 }
const sent: Authorization = { ...common, ...terms, state: 'sent' }
const declined: Authorization = {
  ...common,
  ...terms,
  state: 'declined',
  refusal: { code: 'card-declined', declineCode: 'insufficient_funds' },
}
const at = (state: 'authorized' | 'captured' | 'voided' | 'refunded'): Authorization => ({
  ...common,
  ...terms,
  state,
  processorId: 'auth_1',
})
const tombstone: Authorization = { ...common, state: 'released', releaseRequested: true }
const released = (row: Authorization): Authorization => ({ ...row, releaseRequested: true })

const authorize = { kind: 'authorize', ...terms } as const
const capture = { kind: 'capture', amount: terms.amount } as const
const release = { kind: 'release' } as const
const found = (status: 'authorized' | 'captured') => [{ id: 'auth_1', amount: 1075, status }]
const done = { kind: 'reply', outcome: { kind: 'done' } }
const refused = (code: string) => ({ kind: 'reply', outcome: { kind: 'refused', refusal: { code } } })
const call = (kind: string, idempotencyKey: string) => ({ kind: 'call', call: { kind, idempotencyKey } })

describe('authorize', () => {
  test('calls with the key and the body of the row, however often it is repeated', () => {
    expect(nextStep(authorize, sent)).toEqual({
      kind: 'call',
      call: { kind: 'authorize', idempotencyKey: 'o1:authorize:1', reference: 'o1', ...terms },
    })
  })
  test('after 20 h, when its key may have expired, an authorization is only looked up', () => {
    const old = { ...sent, ageSeconds: 20 * 3600 + 1 }
    expect(nextStep(authorize, old)).toEqual({
      kind: 'call',
      call: { kind: 'find', reference: 'o1', token: 'tok_1' },
    })
    expect(interpretLookup(old, { kind: 'yes', found: [] })).toMatchObject({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'payment-unavailable' } },
    })
    expect(
      interpretLookup(old, { kind: 'yes', found: [{ id: 'a', amount: 1075, status: 'authorized' }] }),
    ).toEqual({
      kind: 'moved',
      change: { state: 'authorized', processorId: 'a' },
    })
  })
  test('a repeated command receives the same reply from a final row', () => {
    expect(nextStep(authorize, at('authorized'))).toEqual(done)
    expect(nextStep(authorize, at('captured'))).toEqual(done)
    expect(nextStep(authorize, declined)).toEqual({
      kind: 'reply',
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
  test('after a release it is refused, and an open authorization is voided', () => {
    expect(nextStep(authorize, tombstone)).toMatchObject(refused('payment-unavailable'))
    expect(nextStep(authorize, released(at('voided')))).toMatchObject(refused('payment-unavailable'))
    expect(nextStep(authorize, released(at('authorized')))).toMatchObject(call('void', 'o1:void:1'))
  })
  test('another amount or card for the same order is an incident', () => {
    expect(nextStep({ ...authorize, amount: cents(1) }, sent)).toMatchObject({ kind: 'incident' })
    expect(nextStep({ ...authorize, token: 'tok_2' }, at('authorized'))).toMatchObject({ kind: 'incident' })
  })
  test.each([
    ['card_declined', 'generic_decline', 'card-declined'],
    ['expired_card', 'expired_card', 'card-expired'],
    ['incorrect_cvc', 'incorrect_cvc', 'cvc-failed'],
    ['amount_too_small', 'amount_too_small', 'below-card-minimum'],
    ['amount_too_large', 'amount_too_large', 'total-too-large'],
    ['no_such_token', 'no_such_token', 'payment-not-possible'],
  ])('a final refusal %s, %s is stored as %s', (code, declineCode, ours) => {
    expect(interpretEffect(sent, 'authorize', { kind: 'no', code, declineCode })).toEqual({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: ours, declineCode } },
    })
  })
  test('no final refusal becomes a retryable problem', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (code) => {
        expect(problems[declineOf({ code, declineCode: code }).code].retryable).toBe(false)
      }),
      { examples: [['amount_too_small'], ['amount_too_large'], ['parameter_invalid_integer'], ['toString']] },
    )
  })
})

describe('release', () => {
  test('resolves an unknown authorization before it compensates it', () => {
    expect(nextStep(release, released(sent))).toMatchObject(call('authorize', 'o1:authorize:1'))
  })
  test('voids an authorization, refunds a charge, and is done in every other state', () => {
    expect(nextStep(release, released(at('authorized')))).toMatchObject(call('void', 'o1:void:1'))
    expect(nextStep(release, released(at('captured')))).toMatchObject(call('refund', 'o1:refund:1'))
    for (const row of [declined, at('voided'), tombstone]) {
      expect(nextStep(release, released(row))).toMatchObject({
        outcome: { kind: 'done', paymentState: 'VOIDED' },
      })
    }
    expect(nextStep(release, released(at('refunded')))).toMatchObject({
      outcome: { kind: 'done', paymentState: 'REFUNDED' },
    })
  })
  test('also voids an authorization with another amount, and reports the difference', () => {
    const result = interpretEffect(released(sent), 'authorize', { kind: 'yes', id: 'auth_1', amount: 1 })
    expect(result).toMatchObject({ kind: 'moved', change: { state: 'authorized', processorId: 'auth_1' } })
    expect(result).toHaveProperty('alarm', 'the processor has authorized 1 cents, the row has 1075')
  })
})

describe('capture', () => {
  test('captures the whole amount once', () => {
    expect(nextStep(capture, at('authorized'))).toEqual({
      kind: 'call',
      call: { kind: 'capture', idempotencyKey: 'o1:capture:1', id: 'auth_1', amount: 1075 },
    })
    expect(nextStep(capture, at('captured'))).toEqual(done)
  })
  test('another amount than the authorized one, or no authorization, is an incident', () => {
    expect(nextStep({ kind: 'capture', amount: cents(1) }, at('authorized'))).toMatchObject({
      kind: 'incident',
    })
    expect(nextStep(capture, sent)).toMatchObject({ kind: 'incident' })
    expect(nextStep(capture, declined)).toMatchObject({ kind: 'incident' })
    expect(nextStep(capture, at('voided'))).toMatchObject({ kind: 'incident' })
  })
  test('is stale once a release is requested', () => {
    expect(nextStep(capture, tombstone)).toMatchObject({ kind: 'stale' })
    expect(nextStep(capture, released(at('voided')))).toMatchObject({ kind: 'stale' })
    expect(nextStep(capture, released(at('captured')))).toMatchObject(call('refund', 'o1:refund:1'))
  })
})

describe('a result of the processor', () => {
  test('an unknown outcome moves nothing', () => {
    const unknown = { kind: 'unknown', reason: 'UND_ERR_SOCKET', sent: true } as const
    expect(interpretEffect(sent, 'authorize', unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
    expect(interpretLookup(sent, unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
  })
  test('another amount is never accepted', () => {
    const other = { kind: 'yes', id: 'auth_1', amount: 1076 } as const
    expect(interpretEffect(sent, 'authorize', other)).toMatchObject({ kind: 'incident' })
    expect(interpretEffect(at('authorized'), 'capture', other)).toMatchObject({ kind: 'incident' })
  })
  test('a refused void is looked up: a charge captured meanwhile moves the row, an open authorization is an incident', () => {
    const row = released(at('authorized'))
    expect(interpretEffect(row, 'void', { kind: 'no', code: 'already_captured', declineCode: '' })).toEqual({
      kind: 'look-up',
      refused: 'void: already_captured',
    })
    expect(interpretLookup(row, { kind: 'yes', found: found('captured') })).toMatchObject({
      kind: 'moved',
      change: { state: 'captured' },
    })
    expect(interpretLookup(row, { kind: 'yes', found: found('authorized') }, 'void')).toMatchObject({
      kind: 'incident',
    })
    expect(interpretLookup(row, { kind: 'yes', found: [] })).toMatchObject({ kind: 'incident' })
  })
  test('two authorizations of one order are an incident', () => {
    const two = [
      { id: 'a', amount: 1075, status: 'voided' as const },
      { id: 'b', amount: 1075, status: 'authorized' as const },
    ]
    expect(interpretLookup(sent, { kind: 'yes', found: two })).toMatchObject({ kind: 'incident' })
  })
})

const reported = (status: 'authorized' | 'captured' | 'voided' | 'refunded', amount = 1075) => ({
  id: 'auth_1',
  amount,
  status,
})

describe('a report of the processor', () => {
  const no = { status: 'declined', code: 'expired_card', declineCode: 'expired_card' } as const

  test('moves the row to the right, and never back', () => {
    expect(interpretReport(sent, reported('authorized'))).toEqual({
      kind: 'moved',
      change: { state: 'authorized', processorId: 'auth_1' },
    })
    expect(interpretReport(at('captured'), reported('refunded'))).toMatchObject({
      change: { state: 'refunded' },
    })
    expect(interpretReport(at('captured'), reported('authorized'))).toBeNull()
    expect(interpretReport(at('voided'), reported('voided'))).toBeNull()
  })
  test('a decline moves only a sent row', () => {
    expect(interpretReport(sent, no)).toMatchObject({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'card-expired' } },
    })
    expect(interpretReport(at('authorized'), no)).toBeNull()
    expect(interpretReport(declined, no)).toBeNull()
  })
  test('another amount, another currency or a second authorization is an incident', () => {
    expect(interpretReport(sent, reported('authorized', 1))).toMatchObject({ kind: 'incident' })
    expect(interpretReport(sent, { ...reported('authorized'), differs: 'eur' })).toMatchObject({
      reason: 'eur',
    })
    expect(interpretReport(at('authorized'), { ...reported('captured'), id: 'auth_2' })).toMatchObject({
      kind: 'incident',
    })
    expect(interpretReport(at('authorized'), { ...reported('voided'), id: 'auth_2' })).toBeNull()
  })
  test('an open charge of a declined or released order is an incident', () => {
    for (const row of [declined, tombstone]) {
      expect(interpretReport(row, reported('authorized'))).toMatchObject({ kind: 'incident' })
      expect(interpretReport(row, reported('voided'))).toBeNull()
    }
  })
  test('an authorization that a release will void moves the row, whatever its amount', () => {
    expect(interpretReport(released(sent), reported('authorized', 1))).toMatchObject({
      kind: 'moved',
      change: { state: 'authorized' },
      alarm: expect.stringContaining('1 cents') as string,
    })
  })
})
