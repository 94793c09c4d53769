import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runChaos, startStackForChaos } from './run.ts'

// The faults are signals to the servers' processes and files of theirs that are gone.
process.env['PLATTER_SERVERS'] ??= 'native'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '16' },
    replicas: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    pause: { type: 'string', default: '300-1500' },
  },
})
const [low = 300, high = 1_500] = values.pause.split('-').map(Number)
const say = (line: string) => process.stdout.write(`${line}\n`)
const stack = await startStackForChaos(Number(values.replicas), say)
try {
  const { violations } = await runChaos(stack, {
    orders: Number(values.orders),
    atOnce: Number(values.clients),
    seed: Number(values.seed),
    pauseMs: [low, high],
    say,
  })
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  await stack.stop()
}
