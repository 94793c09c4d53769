import type { Message } from 'amqplib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode, encode, type Outgoing } from '#/message-format.ts'

const text = fc.option(fc.string(), { nil: undefined })
const anItem: fc.Arbitrary<Outgoing> = fc.record({
  json: fc.jsonValue().map((value) => JSON.stringify(value)),
  requestId: text,
  traceparent: text,
  id: text,
  timeoutMs: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
})

/** As amqplib delivers it: numbers in properties are text. */
function delivered(items: readonly Outgoing[]): Message {
  const { content, properties } = encode(items)
  const { expiration } = properties
  return {
    content,
    properties: { ...properties, ...(expiration !== undefined && { expiration: String(expiration) }) },
  } as unknown as Message
}

test('decoding returns the encoded items, alone or batched', () => {
  fc.assert(
    fc.property(fc.array(anItem, { minLength: 1, maxLength: 5 }), (items) => {
      const consumed = decode(delivered(items)).map(({ content, data, ...rest }) => ({
        ...rest,
        json: content().toString(),
        again: JSON.stringify(data),
      }))
      const defined = items.map(({ json, ...rest }) => ({
        ...(JSON.parse(JSON.stringify({ requestId: '', ...rest })) as object),
        requestId: rest.requestId ?? '',
        json,
        again: json,
      }))
      expect(consumed).toEqual(defined)
    }),
  )
})

test('decoding returns the item of a message that consists of its data', () => {
  const content = Buffer.from('{"a":1}')
  const headers = { 'x-request-id': 'r', traceparent: 't' }
  const properties = { headers, correlationId: 'c', expiration: '3' }
  const decoded = decode({ content, properties } as unknown as Message)
  expect(decoded).toMatchObject([{ data: { a: 1 }, requestId: 'r', traceparent: 't', id: 'c', timeoutMs: 3 }])
  expect(decoded[0]?.content()).toBe(content)
})

/** Returns the expiration of a message with these reply timeouts. */
const expirationOf = (...timeouts: (number | undefined)[]) =>
  encode(timeouts.map((timeoutMs) => ({ json: '{}', timeoutMs }))).properties.expiration

test('a batch of questions lasts as long as the longest of them, and a batch of commands for any time', () => {
  expect(expirationOf(500, 1_999.5, 1_000)).toBe(2_000)
  expect(expirationOf(undefined, 500)).toBe(500)
  expect(expirationOf(undefined, undefined)).toBeUndefined()
})

test('decoding arbitrary bytes never throws', () => {
  const bytes = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array)),
    fc.json().map((json) => Buffer.from(json)),
  )
  fc.assert(
    fc.property(bytes, fc.constantFrom('batch', undefined), (content, type) => {
      for (const item of decode({ content, properties: { type, headers: {} } } as unknown as Message))
        expect(item.content()).toBeInstanceOf(Buffer)
    }),
  )
})
