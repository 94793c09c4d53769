import { expect, test } from 'vitest'
import { nearestName, typosBetween } from '#/http/nearest-name.ts'

const BODY = [
  'restaurantApiKey',
  'items',
  'method',
  'payment',
  'test',
  'tip',
  'comments',
  'card',
  'address',
  'recipient',
]
const PERSON = ['apiKey', 'firstName', 'lastName', 'phone', 'email']

test.each([
  ['item', 'items'],
  ['comment', 'comments'],
  ['Comments', 'comments'],
  ['restaurant_api_key', 'restaurantApiKey'],
  ['restaurantKey', 'restaurantApiKey'],
  ['tips', 'tip'],
  ['adress', 'address'],
  ['recipeint', 'recipient'],
  ['firstname', 'firstName'],
  ['first-name', 'firstName'],
  ['mail', 'email'],
])('%s may be meant for %s', (name, known) => {
  expect(nearestName(name, [...BODY, ...PERSON])).toBe(known)
})

test.each(['zip', 'total', 'quantity', 'state', 'name', '', '__v', 'x'.repeat(60_000)])(
  'suggests no field of an order for %s',
  (name) => {
    expect(nearestName(name, BODY)).toBeUndefined()
  },
)

test('swapped letters count as one typo, as cvc for cvv does', () => {
  expect(typosBetween('recipeint', 'recipient')).toBe(1)
  expect(typosBetween('cvc', 'cvv')).toBe(1)
  expect(typosBetween('signin', 'signin')).toBe(0)
})
