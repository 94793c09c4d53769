import { EventEmitter } from 'node:events'
import { createLog } from '@platter/kit'
import { IllegalOperationError, type ConsumeMessage } from 'amqplib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Consumer } from '#/consumer.ts'
import type { Connect } from '#/reconnecting-connection.ts'

const refuse = () => Promise.reject(new Error('connect ECONNREFUSED'))

test('without a connection, the depths of the queues are a rejected promise: a caller handles it like a failed read', async () => {
  const log = createLog('test', 'silent')
  const consumer = new Consumer({ urls: ['amqp://127.0.0.1'], connect: refuse, service: 'orders', log })
  await expect(consumer.depths()).rejects.toThrow('not connected to RabbitMQ yet')
})

/** A connection that delivers `count` messages, and accepts no acknowledgement. */
function connectionWith(count: number, error: Error) {
  const channel = Object.assign(new EventEmitter(), {
    prefetch: async () => ({}),
    consume: async (_queue: string, receive: (message: ConsumeMessage) => void) => {
      for (let number = 0; number < count; number++)
        receive({ content: Buffer.from('{}'), fields: {}, properties: {} } as ConsumeMessage)
      return { consumerTag: 'c' }
    },
    ack: () => {
      throw error
    },
  })
  const model = Object.assign(new EventEmitter(), {
    createChannel: async () => channel,
    close: async () => undefined,
  })
  const connect = vi.fn<Connect>(refuse).mockResolvedValueOnce(model as never)
  return { model, connect }
}

test('a connection that ends while 16 messages are handled is one line of the log', async () => {
  const lines: string[] = []
  const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) })
  const { model, connect } = connectionWith(16, new IllegalOperationError('Channel closed'))
  const consumer = new Consumer({ urls: ['amqp://127.0.0.1'], connect, service: 'orders', log })
  onTestFinished(() => consumer.connection.close())
  const end = Promise.withResolvers<void>()
  const handle = vi.fn<() => Promise<void>>(() => end.promise)
  consumer.add({ name: 'c', declare: async () => 'q', concurrency: 16, handle })
  await consumer.connection.start(5_000)
  await vi.waitFor(() => expect(handle).toHaveBeenCalledTimes(16))
  model.emit('close')
  await vi.waitFor(() => expect(lines.join('')).toContain('the connection to RabbitMQ was lost'))
  end.resolve()
  await consumer.quiesce()
  // The others are about further attempts to connect.
  expect(lines.filter((line) => !line.includes('ECONNREFUSED'))).toHaveLength(1)
})

test('a message that cannot be acknowledged is redelivered: its connection is replaced, with the reason in the log', async () => {
  const lines: string[] = []
  const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) })
  const { connect } = connectionWith(1, new TypeError('the delivery tag is not a number'))
  const consumer = new Consumer({ urls: ['amqp://127.0.0.1'], connect, service: 'orders', log })
  onTestFinished(() => consumer.connection.close())
  consumer.add({ name: 'c', declare: async () => 'q', concurrency: 16, handle: async () => undefined })
  await consumer.connection.start(5_000)
  await vi.waitFor(() => expect(connect).toHaveBeenCalledTimes(2))
  expect(lines.join('')).toContain('the delivery tag is not a number')
})
