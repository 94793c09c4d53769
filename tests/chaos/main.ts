/**
 * `npm run chaos -- --orders 5000 --seed 21`: the load test under faults, in its long form. With `--drop 0.1`, one message in ten
 * never reaches RabbitMQ, and no other fault is injected.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    drop: { type: 'string' },
  },
})
const { orders, seed, drop } = values
const test = drop === undefined ? ['chaos', '-t', 'under load, each process'] : ['lossy']
const { status } = spawnSync('vitest', ['run', '--project', ...test], {
  stdio: 'inherit',
  env: { ...process.env, CHAOS_ORDERS: orders, CHAOS_SEED: seed, CHAOS_DROP: drop },
})
process.exitCode = status ?? 1
