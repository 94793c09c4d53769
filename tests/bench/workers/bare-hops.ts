import { connect, type ConfirmChannel } from 'amqplib'
import { runLoad, type Load, type Outcome } from './loop.ts'
import { serve } from './worker.ts'

/*
 * One message of 500 bytes over so many queues in a row: said with a confirm, handled, said on, acked. Nothing is
 * parsed, written or decided on the way.
 */

export type HopsJob = { load: Load; queue: 'classic' | 'quorum'; hops: number }

const model = await connect(process.argv[2] ?? '', { noDelay: true })
const arrived = new Map<string, () => void>()
const filler = 'x'.repeat(450)

serve<HopsJob, Outcome>('', async ({ load, queue, hops }) => {
  const says = await model.createConfirmChannel()
  const hears = await model.createChannel()
  await hears.prefetch(256)
  const queues = Array.from({ length: hops }, (_, at) => `bench.${queue}.${at}`)
  for (const name of queues)
    await hears.assertQueue(name, { durable: true, arguments: { 'x-queue-type': queue } })
  for (const [at, name] of queues.entries())
    await hears.consume(name, (message) => {
      if (!message) return
      const next = queues[at + 1]
      const { content } = message
      const done = () => hears.ack(message)
      if (next !== undefined) return void say(says, next, content).then(done)
      done()
      const id = content.toString('latin1', 0, content.indexOf(32))
      arrived.get(id)?.()
      arrived.delete(id)
    })
  try {
    return await runLoad(load, async (n) => {
      const id = `${process.pid}-${n}`
      const { promise, resolve } = Promise.withResolvers<void>()
      arrived.set(id, resolve)
      await say(says, queues[0] ?? '', Buffer.from(`${id} ${filler}`))
      await promise
    })
  } finally {
    for (const name of queues) await hears.deleteQueue(name)
    await Promise.all([says.close(), hears.close()])
  }
})

function say(channel: ConfirmChannel, queue: string, content: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  channel.publish('', queue, content, { persistent: true }, (error: unknown) => {
    if (error === null) resolve()
    else reject(new Error(`${queue} refused a message`))
  })
  return promise
}
