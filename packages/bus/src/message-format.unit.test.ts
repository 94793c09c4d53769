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

test('the body of a message with one item is the JSON of its data', () => {
  const { content, properties } = encode([{ json: '{"a":1}', requestId: 'r', id: 'c', timeoutMs: 2.5 }])
  expect(content.toString()).toBe('{"a":1}')
  expect(properties).toMatchObject({ headers: { 'x-request-id': 'r' }, correlationId: 'c', expiration: 3 })
})

/** Returns the expiration of a message with these reply timeouts. */
const expirationOf = (...timeouts: (number | undefined)[]) =>
  encode(timeouts.map((timeoutMs) => ({ json: '{}', timeoutMs }))).properties.expiration

test('a batch of questions lasts as long as the longest of them, and a batch of commands for any time', () => {
  expect(expirationOf(500, 2_000, 1_000)).toBe(2_000)
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
