import { randomUUID } from 'node:crypto'
import { command, event } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { servers } from '@platter/testkit'
import { connect } from 'amqplib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { Bus } from '#/bus.ts'
import { exchangeOf } from '#/topology.ts'

const soon = { timeout: 30_000, interval: 50 }

test('an exchange that is deleted is declared again, and its events do not stop the commands', async () => {
  const Data = z.object({})
  const [moved, wanted] = [event(`orders.${randomUUID()}`, Data), command(`orders.${randomUUID()}`, Data)]
  const bus = new Bus({ url: servers().rabbitmq, service: 'test', log: createLog('test', 'fatal') })
  onTestFinished(async () => {
    await bus.quiesce()
    await bus.close()
  })
  let handled = 0
  bus.onCommand(wanted, async () => void (handled += 1))
  bus.onEvent(moved, () => undefined)
  await bus.start()
  await vi.waitFor(() => bus.check(), soon)
  const outside = await connect(servers().rabbitmq)
  onTestFinished(() => outside.close())
  await (await outside.createChannel()).deleteExchange(exchangeOf(moved))
  await vi.waitFor(async () => {
    bus.publishEvent(moved, {})
    await bus.publish(wanted, {}, { requestId: 'r1' })
    expect(handled).toBeGreaterThan(0)
  }, soon)
})
