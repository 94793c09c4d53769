import { expect, test } from 'vitest'
import { expiryFaults, hasExpired, newCardRecord } from '#/expiry.ts'

const card = (month: string, year: string) => ({ expirationMonth: month, expirationYear: year })

test.each([
  ['in its last month', card('11', '26'), '2026-11-15T12:00:00Z'],
  ['on the last evening of its last month in Honolulu', card('11', '26'), '2026-12-01T09:59:59Z'],
  ['until its last month has ended in every time zone', card('11', '26'), '2026-12-01T11:59:59.999Z'],
  ['until the end of its year with the month 12', card('12', '26'), '2027-01-01T11:59:59Z'],
  ['on 29 February of a leap year', card('02', '28'), '2028-02-29T23:59:59Z'],
  ['in 2099 for the year 99', card('01', '99'), '2099-01-31T00:00:00Z'],
])('a card is valid %s', (_when, expiry, now) => {
  expect(hasExpired(expiry, Date.parse(now))).toBe(false)
})

test.each([
  ['when its last month has ended in every time zone', card('11', '26'), '2026-12-01T12:00:00Z'],
  ['when its December has ended in every time zone', card('12', '26'), '2027-01-01T12:00:00Z'],
  ['for the year 00, which is 2000 and not 2100', card('01', '00'), '2026-11-20T00:00:00Z'],
])('a card has expired %s', (_when, expiry, now) => {
  expect(hasExpired(expiry, Date.parse(now))).toBe(true)
})

const NOW = Date.parse('2026-11-20T00:00:00Z')

test('an expired card has a fault at each pointer, with month and year', () => {
  const detail = 'The card expired at the end of 10/26.'
  expect(expiryFaults(card('10', '26'), ['/expirationMonth', '/expirationYear'], NOW)).toEqual([
    { pointer: '/expirationMonth', code: 'card-expired', detail },
    { pointer: '/expirationYear', code: 'card-expired', detail },
  ])
})

test('a valid card and a card of unknown expiry have no faults', () => {
  for (const known of [card('11', '26'), card('', ''), {}])
    expect(expiryFaults(known, ['/card/apiKey'], NOW)).toEqual([])
})

test('the expiry of the processor takes precedence over that of the client, and may be unknown', () => {
  const processor = { expirationMonth: '09', expirationYear: '31' }
  const client = { expirationMonth: '05', expirationYear: '26' }
  const holder = { cardholderName: 'Maria', cardholderStreetAddress: '2 E Main St', cardholderZip: '53703' }
  const known = { lastFour: '4242', brand: 'visa' }
  const record = { nickname: null, ...holder, ...known }
  expect(newCardRecord({ ...holder, ...client }, { ...known, ...processor })).toEqual({
    ...record,
    ...processor,
  })
  expect(newCardRecord({ ...holder, ...client }, known)).toEqual({ ...record, ...client })
  const unknown = { expirationMonth: '', expirationYear: '' }
  expect(newCardRecord(holder, known)).toEqual({ ...record, ...unknown })
})
