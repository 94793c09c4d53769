import { cents } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { expiresOf, nextStep, type Authorization } from '#/domain/authorization.ts'

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
const done = { kind: 'reply', outcome: { kind: 'done' } }
const refused = (code: string) => ({ kind: 'reply', outcome: { kind: 'refused', refusal: { code } } })
const call = (kind: string, idempotencyKey: string) => ({ kind: 'call', call: { kind, idempotencyKey } })

describe('authorize', () => {
  test('calls the processor with the key and the body of the row', () => {
    const body = { ...terms, authentication: { returnUrl: null }, statementSuffix: 'AURORA', savesCard: true }
    expect(nextStep(authorize, { ...sent, ...body })).toEqual({
      kind: 'call',
      call: { kind: 'authorize', idempotencyKey: 'o1:authorize:1', reference: 'o1', ...body },
    })
  })
  test('looks a challenge up by its id', () => {
    const authentication = { returnUrl: null }
    const challenged = {
      ...common,
      ...terms,
      authentication,
      state: 'challenged',
      processorId: 'auth_1',
    } as const
    expect(nextStep(authorize, challenged)).toEqual({
      kind: 'call',
      call: { kind: 'check', id: 'auth_1', authentication },
    })
  })
  test('is refused for an authorization that was voided or refunded at the processor', () => {
    for (const state of ['voided', 'refunded'] as const)
      expect(nextStep(authorize, at(state))).toMatchObject(refused('payment-unavailable'))
  })
  test('keeps the reason of its decline after a release', () => {
    expect(nextStep(authorize, released(declined))).toMatchObject(refused('card-declined'))
  })
  test('looks the authorization up after 20 h, when its key may have expired', () => {
    const old = { ...sent, ageSeconds: 20 * 3600 + 1 }
    expect(nextStep(authorize, old)).toEqual({
      kind: 'call',
      call: { kind: 'find', reference: 'o1', token: 'tok_1' },
    })
  })
  test('returns the stored reply from a final row', () => {
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
  test('is refused after a release, and voids an open authorization', () => {
    expect(nextStep(authorize, tombstone)).toMatchObject(refused('payment-unavailable'))
    expect(nextStep(authorize, released(at('voided')))).toMatchObject(refused('payment-unavailable'))
    expect(nextStep(authorize, released(at('authorized')))).toMatchObject(call('void', 'o1:void:1'))
  })
  test('another amount or card for the same order is an incident', () => {
    expect(nextStep({ ...authorize, amount: cents(1) }, sent)).toMatchObject({ kind: 'incident' })
    expect(nextStep({ ...authorize, token: 'tok_2' }, at('authorized'))).toMatchObject({ kind: 'incident' })
  })
})

test('a challenge ends ten minutes after the authorization began, by every later look-up', () => {
  expect(expiresOf({ ageSeconds: 0 }, 1_000)).toBe(1_600)
  expect(expiresOf({ ageSeconds: 90 }, 1_090)).toBe(1_600)
})

describe('release', () => {
  test('repeats an authorization with an unknown outcome before its compensation', () => {
    expect(nextStep(release, released(sent))).toMatchObject(call('authorize', 'o1:authorize:1'))
  })
  test('looks a charge up that was refunded completely at the processor, and makes no refund of 0 or less', () => {
    for (const refunded of [terms.amount, terms.amount + 1]) {
      const row = { ...released(at('captured')), refunded } as Authorization
      expect(nextStep(release, row)).toEqual({
        kind: 'call',
        call: { kind: 'find', reference: 'o1', token: 'tok_1' },
      })
    }
  })
  test('voids an authorization, refunds a charge, and is done in every other state', () => {
    expect(nextStep(release, released(at('authorized')))).toEqual({
      kind: 'call',
      call: { kind: 'void', idempotencyKey: 'o1:void:1', id: 'auth_1' },
    })
    expect(nextStep(release, released(at('captured')))).toEqual({
      kind: 'call',
      call: { kind: 'refund', idempotencyKey: 'o1:refund:1', id: 'auth_1', amount: terms.amount },
    })
    for (const row of [declined, at('voided'), tombstone]) {
      expect(nextStep(release, released(row))).toMatchObject({
        outcome: { kind: 'done', paymentState: 'VOIDED' },
      })
    }
    expect(nextStep(release, released(at('refunded')))).toMatchObject({
      outcome: { kind: 'done', paymentState: 'REFUNDED' },
    })
  })
})

describe('capture', () => {
  test('captures the whole amount once', () => {
    expect(nextStep(capture, at('authorized'))).toEqual({
      kind: 'call',
      call: { kind: 'capture', idempotencyKey: 'o1:capture:1', id: 'auth_1', amount: 1075 },
    })
    expect(nextStep(capture, at('captured'))).toEqual(done)
    expect(nextStep(capture, at('refunded')), 'refunded at the processor before the reply').toEqual(done)
  })
  test('another amount than the authorized one, or no authorization, is an incident', () => {
    expect(nextStep({ kind: 'capture', amount: cents(1) }, at('authorized'))).toMatchObject({
      kind: 'incident',
    })
    expect(nextStep(capture, sent)).toMatchObject({ kind: 'incident' })
    expect(nextStep(capture, declined)).toMatchObject({ kind: 'incident' })
    expect(nextStep(capture, at('voided'))).toMatchObject({ kind: 'incident' })
  })
  test('is stale after a release, and refunds a charge whose release is open', () => {
    expect(nextStep(capture, tombstone)).toMatchObject({ kind: 'stale' })
    expect(nextStep(capture, released(at('voided')))).toMatchObject({ kind: 'stale' })
    expect(nextStep(capture, released(at('captured')))).toMatchObject(call('refund', 'o1:refund:1'))
  })
  test('is stale after a release when a part was refunded: that refund may still fail', () => {
    const partly = { ...released(at('captured')), refunded: cents(500) } as Authorization
    expect(nextStep(capture, partly)).toMatchObject({ kind: 'stale' })
    expect(nextStep(authorize, partly)).toMatchObject({ kind: 'stale' })
    expect(nextStep({ kind: 'release' }, partly)).toEqual({
      kind: 'call',
      call: { kind: 'refund', idempotencyKey: 'o1:refund:1:575', id: 'auth_1', amount: 575 },
    })
  })
})
