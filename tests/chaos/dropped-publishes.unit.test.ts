import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DroppedPublishes } from './dropped-publishes.ts'

const GREETING = Buffer.from('AMQP\0\0\u0009\u0001', 'latin1')

function frame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(type, 0)
  head.writeUInt16BE(channel, 1)
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.from([206])])
}

function method(channel: number, of: number, id: number): Buffer {
  const payload = Buffer.alloc(8)
  payload.writeUInt16BE(of, 0)
  payload.writeUInt16BE(id, 2)
  return frame(1, channel, payload)
}

/** A message of this size in body frames of at most 10 bytes. */
function publish(channel: number, size: number): Buffer[] {
  const header = Buffer.alloc(14)
  header.writeUInt16BE(60, 0)
  header.writeBigUInt64BE(BigInt(size), 4)
  const bodies = Array.from({ length: Math.ceil(size / 10) }, (_, at) =>
    frame(3, channel, Buffer.alloc(Math.min(10, size - at * 10), at)),
  )
  return [method(channel, 60, 40), frame(2, channel, header), ...bodies]
}

/** Returns the bytes that pass. The stream receives them in chunks of this size. */
function passed(bytes: Buffer, chunk: number, isDropped: () => boolean): Buffer {
  const filter = new DroppedPublishes(isDropped)
  for (let at = 0; at < bytes.length; at += chunk) filter.write(bytes.subarray(at, at + chunk))
  return (filter.read() as Buffer | null) ?? Buffer.alloc(0)
}

test('drops a message with all of its frames, and no other frame', () => {
  const aMessage = fc.record({ isDropped: fc.boolean(), channel: fc.constantFrom(1, 2), size: fc.nat(35) })
  fc.assert(
    fc.property(fc.array(aMessage), fc.integer({ min: 1, max: 50 }), (messages, chunk) => {
      const ack = method(1, 60, 80)
      const bytes = messages.flatMap(({ channel, size }) => [...publish(channel, size), ack])
      const kept = messages.flatMap(({ channel, size, isDropped }) =>
        isDropped ? [ack] : [...publish(channel, size), ack],
      )
      const fates = messages.map(({ isDropped }) => isDropped)
      const out = passed(Buffer.concat([GREETING, ...bytes]), chunk, () => fates.shift() ?? false)
      expect(out.equals(Buffer.concat([GREETING, ...kept]))).toBe(true)
    }),
  )
})

test('drops a message on one channel while another channel interleaves its own', () => {
  const [one, other] = [publish(1, 20), publish(2, 20)]
  const mixed = one.flatMap((part, at) => [part, other[at] ?? Buffer.alloc(0)])
  const fates = [true, false]
  const out = passed(Buffer.concat([GREETING, ...mixed]), 1_000, () => fates.shift() ?? false)
  expect(out.equals(Buffer.concat([GREETING, ...other]))).toBe(true)
})

test('keeps the messages of a channel with confirms', () => {
  const bytes = Buffer.concat([GREETING, method(1, 85, 10), ...publish(1, 5)])
  expect(passed(bytes, 1_000, () => true).equals(bytes)).toBe(true)
})
