/** `npm run bench`: see docs/performance.md, and `npm run bench -- --help`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reporterFor } from '../../dev/progress.ts'
import { LoadGenerator } from '../support/load/generator.ts'
import { startOtlpServer } from '../support/otlp-server.ts'
import { HELP, readOptions, type Options } from './options.ts'
import type { OperationName } from './operations.ts'
import { startPlatform } from './platform.ts'
import { describeRun, markdown, type Report, type Section } from './report.ts'
import type { Frame } from './sections/frame.ts'
import { memory, paced } from './sections/one-stack.ts'
import { scale } from './sections/scale.ts'
import { againstCommit, COMPARED, replicas, tracing } from './sections/two-stacks.ts'
import { measureTable } from './table.ts'

const root = join(import.meta.dirname, '../..')

// The bench reads the CPU of processes of this machine, so it starts native servers.
process.env['PLATTER_SERVERS'] = 'native'
for (const name of ['DATABASE_URL', 'AMQP_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
  delete process.env[name]

/** The operations for the comparison of stacks with other replicas or telemetry. */
const PAIRED: readonly OperationName[] = ['menu', 'get-order', 'card-order']

async function measure(options: Options): Promise<Report> {
  await using cleanup = new AsyncDisposableStack()
  // Nothing is stored.
  const { url: telemetry, close } = await startOtlpServer(() => undefined)
  cleanup.defer(close)
  const generator = await LoadGenerator.start()
  cleanup.defer(() => generator.stop())
  const { seconds, rounds } = options
  const directory = join(root, '.run')
  const frame = { directory, generator, reporter: reporterFor(process.stderr), telemetry, seconds, rounds }
  const { againstCommit: commit } = options
  const sections =
    commit === null ? await measureAlone(options, frame) : await measureBeside(commit, options, frame)
  return { ...describeRun(options), sections }
}

async function measureAlone({ operations, sections }: Options, frame: Frame): Promise<Section[]> {
  const measured: Section[] = []
  if (sections.includes('scale')) measured.push(await scale(frame))
  if (sections.includes('replicas')) measured.push(await replicas(frame, PAIRED))
  if (sections.includes('tracing')) measured.push(await tracing(frame, PAIRED))
  const wantsStack = operations.length > 0 || sections.includes('paced') || sections.includes('memory')
  if (!wantsStack) return measured
  await using cleanup = new AsyncDisposableStack()
  const { directory, reporter, telemetry } = frame
  const platform = await startPlatform({ directory: join(directory, 'bench-stack'), reporter, telemetry })
  cleanup.defer(() => platform.stop())
  const table = operations.length > 0 ? await measureTable(platform, frame, { operations, cleanup }) : []
  if (sections.includes('paced')) measured.push(await paced(platform, frame))
  // The last section, because it leaves a hundred thousand orders.
  if (sections.includes('memory')) measured.push(await memory(platform, frame))
  return [...table, ...measured]
}

/** Measures the pairs of stacks in sequence, so that no more than two share the machine. */
async function measureBeside(
  commit: string,
  { operations, sections }: Options,
  frame: Frame,
): Promise<Section[]> {
  const compared = COMPARED.filter((name) => operations.includes(name))
  // This is one operation with ratios close to 1. More rounds cost little.
  const longer = { ...frame, rounds: frame.rounds * 2 }
  return [
    ...(compared.length > 0 ? await againstCommit(frame, { commit, operations: compared }) : []),
    ...(sections.includes('replicas') ? [await replicas(longer, ['card-order'])] : []),
    ...(sections.includes('tracing') ? [await tracing(longer, ['card-order'])] : []),
  ]
}

/** Writes the report, and optionally the tables of the documentation. */
function publish(report: Report, { writeDocs }: Options): void {
  const text = markdown(report)
  const out = join(root, '.run/bench')
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'report.md'), `# The bench\n\n${text}\n`)
  process.stdout.write(`\n${text}\n\nWritten to ${out}\n`)
  if (!writeDocs) return
  const mark = report.against === null ? 'bench' : 'bench against a commit'
  const between = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`)
  const file = join(root, 'docs/performance.md')
  const page = readFileSync(file, 'utf8')
  if (!between.test(page)) throw new Error(`${file} has no place for the tables`)
  writeFileSync(
    file,
    page.replace(between, (_, before: string, after: string) => `${before}\n${text}\n\n${after}`),
  )
}

// All child processes end with this process, and not earlier.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const options = readOptions(process.argv.slice(2))
if (options === 'help') process.stdout.write(`${HELP}\n`)
else publish(await measure(options), options)
process.exit(0)
