import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { NewCard } from '#/inputs.ts'
import { secret } from '#/secret.ts'

test('a secret reveals its value to reveal() only', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 10 }), (value) => {
      const parsed = secret(z.string()).parse(value)
      const shown = [String(parsed), JSON.stringify({ parsed })]
      expect(parsed.reveal()).toBe(value)
      expect(shown).toEqual(['[secret]', '{"parsed":"[secret]"}'])
    }),
  )
})

test('fingerprints contain the last four digits of a card number and nothing of a cvv', () => {
  const { cardNumber, cvv } = NewCard.parse({
    cardholderName: 'Maria Lindqvist',
    cardholderStreetAddress: '316 W Washington Ave',
    cardholderZip: '53703',
    cvv: '314',
    cardNumber: '4242424242424242',
    expirationMonth: '09',
    expirationYear: '31',
  })
  expect([cardNumber?.distinguishingPart(), cvv?.distinguishingPart()]).toEqual(['4242', ''])
})
