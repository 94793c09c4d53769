import { expect, test } from 'vitest'
import { completionFaults } from '#/http/completed-address.ts'

const madison = { city: 'Madison', state: 'WI', zip: '53703' }

test.each([false, true])('a complete address has no faults (geocoder unavailable: %j)', (isUnavailable) => {
  expect(completionFaults({ ...madison, isUnavailable }, '')).toEqual([])
})

test('names each missing field below the pointer', () => {
  const faults = completionFaults({ ...madison, city: '', zip: '', isUnavailable: false }, '/address')
  expect(faults).toMatchObject([
    { pointer: '/address/city', code: 'missing-field' },
    { pointer: '/address/zip', code: 'missing-field' },
  ])
})

test('503 service-unavailable when a field is missing while the geocoder is unavailable', () => {
  expect(() => completionFaults({ ...madison, zip: '', isUnavailable: true }, '')).toThrow(
    expect.objectContaining({ code: 'service-unavailable' }),
  )
})
