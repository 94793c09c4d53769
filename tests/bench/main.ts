/** `npm run bench`: see docs/performance.md. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reporterFor } from '../../dev/progress.ts'
import { startGenerator } from '../support/load/generator.ts'
import { startOtlpServer } from '../support/otlp-server.ts'
import { ROOT } from './commit.ts'
import type { Frame } from './frame.ts'
import { operationNames } from './operations.ts'
import { markdown, type Section } from './report.ts'
import { memory, paced } from './sections/one-stack.ts'
import { againstCommit, operations, replicas, scale, tracing } from './sections/two-stacks.ts'

const USAGE = `npm run bench -- [options]
  --only NAMES             operations or sections, separated by commas (docs/performance.md)
  --seconds N              of each measurement (3)
  --rounds N               rounds (5)
  --against-commit COMMIT  measure both commits side by side
  --help                   print this text
`

/** Ends the process with this exit code, after the usage. */
function end(code: number, reason = ''): never {
  process[code === 0 ? 'stdout' : 'stderr'].write(`${reason}${USAGE}`)
  process.exit(code)
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '5' },
        'against-commit': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return end(2, `${(error as Error).message}\n`)
  }
}

const values = readOptions()
if (values.help) end(0)
const commit = values['against-commit'] ?? null
// Stacks have their own servers on this machine, because the bench reads their CPU.
process.env['PLATTER_SERVERS'] = 'native'
for (const name of ['DATABASE_URL', 'AMQP_URL', 'REDIS_URL']) delete process.env[name]
const compare = (frame: Frame) => (commit === null ? operations(frame) : againstCommit(frame, commit))
/** In sequence, so that no more stacks than those of one section share the machine. */
const SECTIONS = { operations: compare, paced, replicas, tracing, memory, scale }
const DEFAULT = commit === null ? ['operations', 'paced', 'replicas', 'tracing', 'memory'] : ['operations']

const only = values.only?.split(',') ?? DEFAULT
const named = operationNames.filter((name) => only.includes(name))
const sections = Object.entries(SECTIONS).filter(
  ([name]) => only.includes(name) || (name === 'operations' && named.length > 0),
)
const unknown = only.filter((name) => !(name in SECTIONS) && !operationNames.some((one) => one === name))
if (unknown.length > 0) end(2, `--only: there is no ${unknown.join(', ')}\n`)
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]
if (!(seconds > 0 && rounds > 0)) end(2, '--seconds and --rounds must be greater than 0\n')

// All child processes end with this process, and not earlier.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const frame: Frame = {
  generator: await startGenerator(),
  reporter: reporterFor(process.stderr),
  // Accepts telemetry, and stores nothing.
  telemetry: (await startOtlpServer(() => undefined)).url,
  seconds,
  rounds,
  operations: named.length > 0 ? named : operationNames,
}
const measured: Section[] = []
for (const [, section] of sections) measured.push(...[await section(frame)].flat())

const described = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
const text = [
  `Measured at ${described}${commit === null ? '' : ` against ${commit}`} on ${new Date().toISOString().slice(0, 10)}: ` +
    `${availableParallelism()} × ${cpus()[0]?.model}, Node ${process.version}; ${rounds} rounds of ${seconds} s.`,
  markdown(measured),
].join('\n\n')
const out = join(ROOT, '.run/bench')
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'report.md'), `# The bench\n\n${text}\n`)
process.stdout.write(`\n${text}\n\nWritten to ${out}\n`)
process.exit(0)
