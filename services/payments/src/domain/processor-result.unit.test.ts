import { cents } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import type { Authorization } from '#/domain/authorization.ts'
import { interpretEffect, interpretLookup } from '#/domain/processor-result.ts'

const terms = { amount: cents(1075), token: 'tok_1' }
const common = { orderApiKey: 'o1', releaseRequested: false, ageSeconds: 3 }
const sent: Authorization = { ...common, ...terms, state: 'sent' }
const at = (state: 'authorized' | 'captured' | 'voided' | 'refunded'): Authorization => ({
  ...common,
  ...terms,
  state,
  processorId: 'auth_1',
})
const released = (row: Authorization): Authorization => ({ ...row, releaseRequested: true })

const found = (status: 'authorized' | 'captured') => [{ id: 'auth_1', amount: cents(1075), status }]

describe('a result of the processor', () => {
  test('an unknown outcome does not move the row', () => {
    const unknown = { kind: 'unknown', reason: 'UND_ERR_SOCKET' } as const
    expect(interpretEffect(sent, 'authorize', unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
    expect(interpretLookup(sent, unknown)).toEqual({ kind: 'unknown', reason: 'UND_ERR_SOCKET' })
  })
  test('another amount than that of the row is an incident', () => {
    const other = { kind: 'yes', id: 'auth_1', amount: cents(1076) } as const
    expect(interpretEffect(sent, 'authorize', other)).toMatchObject({ kind: 'incident' })
    expect(interpretEffect(at('authorized'), 'capture', other)).toMatchObject({ kind: 'incident' })
  })
  test('a refused void is looked up: a capture moves the row, and any other result is an incident', () => {
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
  test('a refused look-up is an incident, because nothing is known of the charge', () => {
    const refusedLookup = { kind: 'no', code: 'invalid_api_key', declineCode: '' } as const
    expect(interpretLookup(sent, refusedLookup)).toEqual({
      kind: 'incident',
      reason: 'the processor refuses the look-up: invalid_api_key',
    })
  })
  test('two authorizations of one order are an incident', () => {
    const two = [
      { id: 'a', amount: cents(1075), status: 'voided' as const },
      { id: 'b', amount: cents(1075), status: 'authorized' as const },
    ]
    expect(interpretLookup(sent, { kind: 'yes', found: two })).toMatchObject({ kind: 'incident' })
  })
  test('an authorization with another amount moves a released row, and reports the difference', () => {
    const result = interpretEffect(released(sent), 'authorize', {
      kind: 'yes',
      id: 'auth_1',
      amount: cents(1),
    })
    expect(result).toMatchObject({ kind: 'moved', change: { state: 'authorized', processorId: 'auth_1' } })
    expect(result).toHaveProperty('difference', 'the processor has authorized 1 cents, the row has 1075')
  })
  test('an authorization that is not found is unknown for 21 h, and then declined; a found one moves the row', () => {
    const lookUpAt = (ageSeconds: number) =>
      interpretLookup({ ...sent, ageSeconds }, { kind: 'yes', found: [] })
    expect(lookUpAt(21 * 3600)).toMatchObject({ kind: 'unknown' })
    const old = { ...sent, ageSeconds: 21 * 3600 + 1 }
    expect(interpretLookup(old, { kind: 'yes', found: [] })).toMatchObject({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'payment-unavailable' } },
    })
    expect(
      interpretLookup(old, { kind: 'yes', found: [{ id: 'a', amount: cents(1075), status: 'authorized' }] }),
    ).toEqual({
      kind: 'moved',
      change: { state: 'authorized', processorId: 'a' },
    })
  })
  test('the refund of the amount that partial refunds left moves the row without a difference', () => {
    const row = { ...released(at('captured')), refunded: cents(500) } as Authorization
    expect(interpretEffect(row, 'refund', { kind: 'yes', id: 'auth_1', amount: cents(575) })).toEqual({
      kind: 'moved',
      change: { state: 'refunded', processorId: 'auth_1' },
    })
  })
  test('a look-up of a partly refunded charge compares its whole amount', () => {
    const row = { ...released(at('captured')), refunded: cents(500) } as Authorization
    const charge = { id: 'auth_1', amount: cents(1075), status: 'refunded' } as const
    expect(interpretLookup(row, { kind: 'yes', found: [charge] })).toEqual({
      kind: 'moved',
      change: { state: 'refunded', processorId: 'auth_1' },
    })
  })
  test.each([cents(0), cents(34)])(
    'a refused refund of a captured charge is unknown, with %d cents in the row and 34 at the processor',
    (refunded) => {
      const row = { ...released(at('captured')), refunded } as Authorization
      const charge = { ...found('captured')[0]!, refunded: cents(34) }
      expect(interpretLookup(row, { kind: 'yes', found: [charge] }, 'refund: charge_disputed')).toEqual({
        kind: 'unknown',
        reason: `the processor has refunded 34 cents, the row has ${refunded}, and the processor refused refund: charge_disputed`,
      })
    },
  )
  test('a refused authorization declines the row', () => {
    expect(
      interpretEffect(sent, 'authorize', { kind: 'no', code: 'expired_card', declineCode: 'expired_card' }),
    ).toEqual({
      kind: 'moved',
      change: { state: 'declined', refusal: { code: 'card-expired', declineCode: 'expired_card' } },
    })
  })
})
