import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runCanary } from './run.ts'

// The test searches the files of the servers, so the servers run as native processes.
process.env['PLATTER_SERVERS'] ??= 'native'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
})
const ALL = [
  'orders',
  'payments',
  'accounts',
  'gateway',
  'catalog',
  'processor',
  'postgres',
  'redis',
  'rabbitmq',
] as const
const seed = Number(values.seed)
process.stdout.write(`seed ${seed}\n`)
const { leaks, blind, astray, dumps } = await runCanary({
  orders: Number(values.orders),
  seed,
  kills: [...ALL.map((one) => [one]), ALL],
  print: (line) => process.stdout.write(`${line}\n`),
})
process.exitCode = [leaks, blind, astray, dumps].every((list) => list.length === 0) ? 0 : 1
