import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { Consumer } from '#/consumer.ts'

const connect = () => Promise.reject(new Error('connect ECONNREFUSED'))

test('without a connection, the depths of the queues are a rejected promise: a caller handles it like a failed read', async () => {
  const log = createLog('test', 'silent')
  const consumer = new Consumer({ urls: ['amqp://127.0.0.1'], connect, service: 'orders', log })
  await expect(consumer.depths()).rejects.toThrow('not connected to RabbitMQ yet')
})
