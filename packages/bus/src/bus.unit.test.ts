import { EventEmitter } from 'node:events'
import { createLog, reasonOf } from '@platter/kit'
import { expect, onTestFinished, test } from 'vitest'
import { Bus } from '#/bus.ts'
import type { Connect } from '#/reconnecting-connection.ts'

test('a service is not ready while RabbitMQ is short of memory or disk, because no order can be placed', async () => {
  const models: EventEmitter[] = []
  const channel = Object.assign(new EventEmitter(), { consume: async () => ({}), prefetch: async () => ({}) })
  const connect = async () => {
    const model = Object.assign(new EventEmitter(), {
      createChannel: async () => channel,
      createConfirmChannel: async () => channel,
      close: async () => undefined,
    })
    models.push(model)
    return model
  }
  const log = createLog('test', 'silent')
  const bus = new Bus({ url: 'amqp://fake', service: 'test', log, connect: connect as unknown as Connect })
  onTestFinished(() => bus.close())
  await bus.start()
  await bus.check()
  for (const model of models) model.emit('blocked')
  expect(await bus.check().catch(reasonOf)).toContain('short of memory or disk')
  for (const model of models) model.emit('unblocked')
  await bus.check()
})
