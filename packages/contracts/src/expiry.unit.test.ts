import { expect, test } from 'vitest'
import { expiryOf } from '#/expiry.ts'

test('the expiry of the processor takes precedence over that of the client, and may be unknown', () => {
  const processor = { expirationMonth: '09', expirationYear: '31' }
  const client = { expirationMonth: '05', expirationYear: '26' }
  expect(expiryOf(processor, client)).toEqual(processor)
  expect(expiryOf({}, client)).toEqual(client)
  expect(expiryOf({}, {})).toEqual({ expirationMonth: '', expirationYear: '' })
})
