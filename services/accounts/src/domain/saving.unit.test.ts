import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NewAddressFields, NewCardFields } from '@platter/contracts'
import { savingOf } from '#/domain/saving.ts'

const home = {
  streetAddress: '316 W Washington Ave',
  aptNumber: null,
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}
const saved = { ...home, apiKey: 'a1' }
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const anAddress = fc.record({
  streetAddress: text,
  aptNumber: fc.option(text),
  city: text,
  state: text,
  zip: text,
})

test('recognizes a saved address in another case, with other spaces or with decomposed accents', () => {
  const written = { ...home, streetAddress: ' 316  w washington AVE', aptNumber: '', city: 'madison ' }
  expect(savingOf(written, [saved], 50)).toEqual({ kind: 'saved', apiKey: 'a1' })
  const accents = { ...home, city: 'Cañon City' }
  const decomposed = { ...saved, city: 'Can\u0303on City' }
  expect(savingOf(accents, [decomposed], 50)).toEqual({ kind: 'saved', apiKey: 'a1' })
})

test.each(Object.keys(home))('an address with another %s is another address', (field) => {
  expect(savingOf({ ...home, [field]: 'another' }, [saved], 50)).toEqual({ kind: 'room' })
})

test('saves no address twice, and none above the limit', () => {
  fc.assert(
    fc.property(fc.array(anAddress, { maxLength: 30 }), fc.integer({ min: 1, max: 10 }), (orders, max) => {
      const account: { apiKey: string; streetAddress: string }[] = []
      for (const [at, fresh] of orders.entries()) {
        const saving = savingOf(NewAddressFields.parse(fresh), account as never, max)
        if (saving.kind === 'room') account.push({ ...fresh, apiKey: `a${at}` })
        expect(account.length).toBeLessThanOrEqual(max)
        expect(savingOf(NewAddressFields.parse(fresh), account as never, max)).not.toEqual({ kind: 'room' })
      }
    }),
  )
})

const card = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '31',
}

test('recognizes a card as a saved one only if all six compared fields are equal', () => {
  const stored = { ...card, apiKey: 'c1', nickname: 'Visa', brand: 'visa' }
  expect(savingOf(NewCardFields.parse(card), [stored], 20)).toEqual({ kind: 'saved', apiKey: 'c1' })
  for (const field of Object.keys(card))
    expect(savingOf(NewCardFields.parse({ ...card, [field]: '7777' }), [stored], 20)).toEqual({
      kind: 'room',
    })
})

test('a full account accepts no other card, and recognizes its saved ones', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => ({
    ...card,
    lastFour: `10${10 + at}`,
    apiKey: `c${at}`,
  }))
  expect(savingOf(NewCardFields.parse(card), twenty, 20)).toEqual({ kind: 'full' })
  expect(savingOf(NewCardFields.parse({ ...card, lastFour: '1013' }), twenty, 20)).toEqual({
    kind: 'saved',
    apiKey: 'c3',
  })
})
