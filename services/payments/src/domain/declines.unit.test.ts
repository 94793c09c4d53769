import { problems } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { declineOf, DETAILS, isCardDecline, refusalOf } from '#/domain/declines.ts'

test.each([
  ['card_declined', 'generic_decline', 'card-declined'],
  ['expired_card', 'expired_card', 'card-expired'],
  ['incorrect_cvc', 'incorrect_cvc', 'cvc-failed'],
  ['amount_too_small', 'amount_too_small', 'below-card-minimum'],
  ['amount_too_large', 'amount_too_large', 'total-too-large'],
  ['no_such_token', 'no_such_token', 'payment-not-possible'],
])('a final refusal %s, %s is stored as %s', (code, declineCode, expected) => {
  expect(declineOf({ code, declineCode })).toEqual({ code: expected, declineCode })
})

test('no final refusal becomes a retryable problem', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (code) => {
      expect(problems[declineOf({ code, declineCode: code }).code].retryable).toBe(false)
    }),
    { examples: [['amount_too_small'], ['amount_too_large'], ['parameter_invalid_integer'], ['toString']] },
  )
})

const isOfCard = (code: string) => isCardDecline(declineOf({ code, declineCode: code }))

test('only a refusal of the card counts as a decline of the card', () => {
  expect(['card_declined', 'expired_card', 'incorrect_cvc'].every(isOfCard)).toBe(true)
  expect(['amount_too_small', 'no_such_token', 'toString'].some(isOfCard)).toBe(false)
})

describe('the refusal of a stored decline', () => {
  test('names the reason of the bank where a customer can act on it', () => {
    expect(refusalOf({ code: 'card-declined', declineCode: 'insufficient_funds' })).toEqual({
      code: 'card-declined',
      declineCode: 'insufficient_funds',
      detail: 'The card does not have sufficient funds. Please use another card.',
    })
    expect(refusalOf({ code: 'card-declined', declineCode: 'authentication_required' }).detail).toBe(
      "The card's bank requires a confirmation by its customer. Please use another card.",
    )
    expect(refusalOf({ code: 'card-declined', declineCode: 'stolen_card' }).detail).toBe(
      'The card was declined. Please use another card.',
    )
  })

  test('has a declineCode only for a problem of the card', () => {
    const codes = Object.keys(DETAILS) as (keyof typeof DETAILS)[]
    const withCode = codes.filter((code) => 'declineCode' in refusalOf({ code, declineCode: 'x' }))
    expect(withCode).toEqual(['card-declined', 'card-expired', 'cvc-failed'])
  })
})
