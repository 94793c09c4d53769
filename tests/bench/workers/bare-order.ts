import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import pg from 'pg'
import { Pool } from 'undici'
import { runLoad, type Load, type Outcome } from '../../support/load/loop.ts'
import { serve } from '../../support/worker.ts'

/*
 * The parts of the least work of a card order. Each job runs one part. Arguments: the database, the broker, and two servers for the
 * exchanges (bare-responses.ts).
 *
 * - Writes with plain pg: the order (1 KB), its charge, and an update of both. Statements are prepared.
 * - HTTP exchanges of 500 bytes in each direction, in sequence over persistent connections.
 * - One message of 500 bytes over several queues in sequence, with the least cost at which a crashed consumer loses no message. Queues
 *   are durable and classic. Messages are transient, without publisher confirms, and acknowledged.
 */

export type OrderJob = { part: 'writes' | 'exchanges' | 'hops'; load: Load }

const [postgres = '', rabbitmq = '', ...servers] = process.argv.slice(2)
const OK = { status: 200 }

// Writes -------------------------------------------------------------------------------------------------------

const database = new pg.Pool({ connectionString: postgres, max: 10 })
const about = JSON.stringify({ order: 'x'.repeat(1_000) })

await database.query(`
  drop schema if exists bench cascade;
  create schema bench;
  create table bench.orders (key text primary key, status text not null, details jsonb not null);
  create table bench.charges (key text primary key, state text not null, amount integer not null);
`)

const STATEMENTS = {
  order: `insert into bench.orders values ($1, 'PROCESSING', $2)`,
  charge: `insert into bench.charges values ($1, 'sent', 1075)`,
  charged: `update bench.charges set state = 'captured' where key = $1`,
  placed: `update bench.orders set status = 'AWAITING_PREPARATION' where key = $1`,
}

/** Each statement is one commit, because a third party makes the charge between the commits. */
async function write(): Promise<void> {
  const key = randomBytes(24).toString('hex')
  for (const [name, text] of Object.entries(STATEMENTS))
    await database.query({ name, text, values: name === 'order' ? [key, about] : [key] })
}

// Exchanges ----------------------------------------------------------------------------------------------------

const body = JSON.stringify({ filler: 'x'.repeat(487) })
const pools = servers.map((origin) => new Pool(origin, { connections: 64, pipelining: 1 }))
const headers = { 'content-type': 'application/json' }
/** With an internal server, and with the processor. */
const EXCHANGES = [2, 3]

async function exchange(): Promise<void> {
  for (const [at, pool] of pools.entries())
    for (let left = EXCHANGES[at] ?? 0; left > 0; left--) {
      const response = await pool.request({ method: 'POST', path: '/', headers, body })
      if (response.statusCode !== 200) throw new Error(`an exchange ended with ${response.statusCode}`)
      await response.body.arrayBuffer()
    }
}

// Hops ---------------------------------------------------------------------------------------------------------

const model = await connect(rabbitmq, { noDelay: true })
const filler = 'x'.repeat(450)
const HOPS = 4

async function runHops(load: Load): Promise<Outcome> {
  const arrived = new Map<string, () => void>()
  const publisher = await model.createChannel()
  const consumer = await model.createChannel()
  await consumer.prefetch(256)
  const publish = (queue: string, content: Buffer) =>
    void publisher.publish('', queue, content, { persistent: false })
  const queues = Array.from({ length: HOPS }, (_, at) => `bench.light.${at}`)
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
      const { promise, resolve } = Promise.withResolvers<void>()
      arrived.set(String(n), resolve)
      publish(queues[0] ?? '', Buffer.from(`${n} ${filler}`))
      await promise
      return OK
    })
  } finally {
    for (const name of queues) await consumer.deleteQueue(name)
    await Promise.all([publisher.close(), consumer.close()])
  }
}

serve<OrderJob, Outcome>('', ({ part, load }) => {
  if (part === 'hops') return runHops(load)
  return runLoad(load, async () => {
    await (part === 'writes' ? write() : exchange())
    return OK
  })
})
