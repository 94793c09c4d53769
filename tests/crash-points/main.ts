import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false }, name: { type: 'string' } },
})

// All points, one test each. `--record` rewrites the golden list: review its changes before you commit them.
process.env['CRASH_POINTS'] = 'all'
process.env['CRASH_RECORD'] = String(values.record)
const name = values.record ? 'golden list' : values.name
await startVitest(positionals, {
  project: ['crash'],
  watch: false,
  ...(name !== undefined && { testNamePattern: name }),
})
