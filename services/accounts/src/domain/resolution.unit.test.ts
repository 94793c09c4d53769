import { expect, test } from 'vitest'
import { type Found, notFound, NOTHING_FOUND } from '#/domain/resolution.ts'

const noApiKeys = { recipientApiKey: null, cardApiKey: null, addressApiKey: null }
const maria: Found['recipient'] = {
  firstName: 'Maria',
  lastName: 'Lopez',
  phone: '6085550100',
  email: 'maria@example.com',
}
const codesOf = (faults: ReturnType<typeof notFound>) => faults.map(({ pointer, code }) => [pointer, code])

test('a request without apiKeys has no faults', () => {
  expect(notFound(noApiKeys, NOTHING_FOUND)).toEqual([])
})

test('404 user-, card- and address-not-found are reported together', () => {
  const request = { recipientApiKey: 'u', cardApiKey: 'c', addressApiKey: 'a' }
  expect(codesOf(notFound(request, NOTHING_FOUND))).toEqual([
    ['/recipient/apiKey', 'user-not-found'],
    ['/card/apiKey', 'card-not-found'],
    ['/address/apiKey', 'address-not-found'],
  ])
})

test('a guest has no saved card and no saved address', () => {
  const request = { recipientApiKey: null, cardApiKey: 'c', addressApiKey: 'a' }
  expect(codesOf(notFound(request, NOTHING_FOUND))).toEqual([
    ['/card/apiKey', 'card-not-found'],
    ['/address/apiKey', 'address-not-found'],
  ])
})

test('a card and an address without an apiKey in the request cause no fault', () => {
  expect(notFound({ ...noApiKeys, recipientApiKey: 'u' }, { ...NOTHING_FOUND, recipient: maria })).toEqual([])
})
