import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    record: { type: 'boolean', default: false },
    everything: { type: 'boolean', default: false },
    name: { type: 'string' },
  },
})

// Runs all points, one test each. `--record` rewrites the golden list: review its changes before you commit them. `--everything`
// kills both replicas of all services at each point, and wipes the data of RabbitMQ.
process.env['CRASH_POINTS'] = 'all'
process.env['CRASH_RECORD'] = String(values.record)
process.env['CRASH_EVERYTHING'] = String(values.everything)
if (values.everything) process.env['PLATTER_SERVERS'] = 'native'
const name = values.record ? 'golden list' : values.name
await startVitest(positionals, {
  project: ['crash'],
  watch: false,
  ...(name !== undefined && { testNamePattern: name }),
})
