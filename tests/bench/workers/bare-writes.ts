import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { runLoad, type Load, type Outcome } from '../../support/load/loop.ts'
import { serve } from '../../support/worker.ts'

/*
 * The durable writes of an order with plain pg: the order (1 KB), the charge of a card order, and an update of both. Statements are
 * prepared.
 */

/** `card-4` commits four times, because a third party makes the charge between the commits. */
export type WritesJob = { load: Load; shape: 'card-4' | 'cash-2' }

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
const about = JSON.stringify({ order: 'x'.repeat(1_000) })

await pool.query(`
  drop schema if exists bench cascade;
  create schema bench;
  create table bench.orders (key text primary key, status text not null, details jsonb not null);
  create table bench.charges (key text primary key, state text not null, amount integer not null);
`)

type Write = (key: string) => pg.QueryConfig
const order: Write = (key) => ({
  name: 'order',
  text: `insert into bench.orders values ($1, 'PROCESSING', $2)`,
  values: [key, about],
})
const charge: Write = (key) => ({
  name: 'charge',
  text: `insert into bench.charges values ($1, 'sent', 1075)`,
  values: [key],
})
const charged: Write = (key) => ({
  name: 'charged',
  text: `update bench.charges set state = 'captured' where key = $1`,
  values: [key],
})
const placed: Write = (key) => ({
  name: 'placed',
  text: `update bench.orders set status = 'AWAITING_PREPARATION' where key = $1`,
  values: [key],
})

/** Each write is one commit. */
const shapes: Record<WritesJob['shape'], readonly Write[]> = {
  'card-4': [order, charge, charged, placed],
  'cash-2': [order, placed],
}

serve<WritesJob, Outcome>('', ({ load, shape }) =>
  runLoad(load, async () => {
    const key = randomBytes(24).toString('hex')
    for (const write of shapes[shape]) await pool.query(write(key))
    return { status: 200 }
  }),
)
