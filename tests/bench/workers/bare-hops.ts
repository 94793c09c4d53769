import { connect } from 'amqplib'
import { runLoad, type Load, type Outcome } from '../../support/load/loop.ts'
import { serve } from '../../support/worker.ts'

/*
 * One message of 500 bytes over several queues in sequence, with the least cost at which a crashed consumer loses no message.
 * Queues are durable and classic. Messages are transient, without publisher confirms, and acknowledged. No step parses or stores a
 * message.
 */

export type HopsJob = { load: Load; hops: number }

const model = await connect(process.argv[2] ?? '', { noDelay: true })
const arrived = new Map<string, () => void>()
const filler = 'x'.repeat(450)

serve<HopsJob, Outcome>('', async ({ load, hops }) => {
  const publisher = await model.createChannel()
  const consumer = await model.createChannel()
  await consumer.prefetch(256)
  const publish = (queue: string, content: Buffer) =>
    void publisher.publish('', queue, content, { persistent: false })
  const queues = Array.from({ length: hops }, (_, at) => `bench.light.${at}`)
  for (const name of queues)
    await consumer.assertQueue(name, { durable: true, arguments: { 'x-queue-type': 'classic' } })
  for (const [at, name] of queues.entries())
    await consumer.consume(name, (message) => {
      if (!message) return
      const { content } = message
      const next = queues[at + 1]
      if (next !== undefined) publish(next, content)
      consumer.ack(message)
      if (next !== undefined) return
      const id = content.toString('latin1', 0, content.indexOf(32))
      arrived.get(id)?.()
      arrived.delete(id)
    })
  try {
    return await runLoad(load, async (n) => {
      const id = `${process.pid}-${n}`
      const { promise, resolve } = Promise.withResolvers<void>()
      arrived.set(id, resolve)
      publish(queues[0] ?? '', Buffer.from(`${id} ${filler}`))
      await promise
      return { status: 200 }
    })
  } finally {
    for (const name of queues) await consumer.deleteQueue(name)
    await Promise.all([publisher.close(), consumer.close()])
  }
})
