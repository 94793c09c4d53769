/** `npm run bench`: see docs/performance.md, and `npm run bench -- --help`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reporterFor, type Reporter } from '../../dev/progress.ts'
import { chart } from './chart.ts'
import { compare, comparison } from './compare.ts'
import { help, readOptions, type Options } from './options.ts'
import { startPlatform, startReceiver, type Platform } from './platform.ts'
import { describeRun, markdown, type Report, type Section } from './report.ts'
import { memory } from './sections/memory.ts'
import { paced } from './sections/paced.ts'
import { againstCommit, comparable } from './sections/against-commit.ts'
import { replicas, tracing, type Frame } from './sections/pairs.ts'
import { scale } from './sections/scale.ts'
import { prepare, type Bench } from './subjects.ts'
import { groupsOf, measureTable } from './table.ts'
import type { HttpJob } from './workers/http-load.ts'
import type { Outcome } from './workers/loop.ts'
import { Worker } from './workers/worker.ts'

const root = join(import.meta.dirname, '../..')
const stop = new AsyncDisposableStack()

// CPU is read of processes: those of this machine, and nobody else's.
process.env['PLATTER_SERVERS'] = 'native'
for (const name of ['DATABASE_URL', 'AMQP_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
  delete process.env[name]

async function measure(options: Options, reporter: Reporter): Promise<Report> {
  const described = describeRun(options)
  const directory = join(root, '.run/bench-stack')
  const { url: telemetry, server } = await startReceiver()
  stop.defer(() => server.close().closeAllConnections())
  const nothing = { rows: [], idle: {} }
  if (options.againstCommit !== null) {
    const sections = await comparedWith(options.againstCommit, { options, reporter, telemetry })
    return { ...described, ...nothing, sections }
  }
  const sections: Section[] = []
  const isWanted = (name: Section['name']) => (options.sections as readonly string[]).includes(name)
  if (isWanted('scale')) sections.push(await scale(options, { telemetry, reporter, root }))
  const isStackNeeded = options.operations.length > 0 || options.sections.some((name) => name !== 'scale')
  if (!isStackNeeded) return { ...described, ...nothing, sections }
  const platform = await startPlatform({ directory, reporter, telemetry })
  stop.defer(() => platform.stop())
  const bench = await prepare(platform, join(root, '.run/bench-limits'), reporter)
  stop.defer(() => bench.stop())
  const { rows, idle } =
    options.operations.length > 0 ? await measureTable(bench, options, reporter) : nothing
  sections.push(...(await more(platform, bench, { options, reporter, telemetry })))
  return { ...described, idle, rows, sections }
}

type Given = { options: Options; reporter: Reporter; telemetry: string }

const frameOf = ({ options: { seconds, rounds }, reporter, telemetry }: Given): Frame => ({
  out: join(root, '.run/bench-stack'),
  seconds,
  rounds,
  reporter,
  telemetry,
})

/** One pair of stacks after the other, so that no more than two share the machine. */
async function comparedWith(commit: string, given: Given): Promise<Section[]> {
  const load = await Worker.start<HttpJob, Outcome>('http-load.ts')
  stop.defer(() => load.stop())
  const { operations: wanted, sections } = given.options
  const operations = comparable.filter((name) => wanted.includes(name))
  const frame = frameOf(given)
  // One operation only: more rounds cost little, and both ratios are close to 1.
  const pair = { frame: { ...frame, rounds: frame.rounds * 2 }, operations: ['card-order'] as const }
  return [
    ...(operations.length > 0 ? await againstCommit({ load }, frame, { commit, operations }) : []),
    ...(sections.includes('replicas') ? [await replicas({ load }, pair)] : []),
    ...(sections.includes('tracing') ? [await tracing({ load }, pair)] : []),
  ]
}

/** What another setting is measured with. */
const measured = ['menu', 'get-order', 'card-order'] as const

async function more(platform: Platform, bench: Bench, given: Given): Promise<Section[]> {
  const {
    options: { sections, seconds, requests },
    reporter,
  } = given
  const isWanted = (name: Section['name']) => (sections as readonly string[]).includes(name)
  const pair = { frame: frameOf(given), operations: measured }
  return [
    ...(isWanted('paced') ? [await paced(platform, bench, { seconds: seconds * 10, reporter })] : []),
    ...(isWanted('replicas') ? [await replicas(bench, pair)] : []),
    ...(isWanted('tracing') ? [await tracing(bench, pair)] : []),
    // Last: it leaves a hundred thousand orders.
    ...(isWanted('memory') ? [await memory(platform, bench, { requests, reporter })] : []),
  ]
}

/** The exit code: 1 when something got worse than in the report that it was held against. */
function tell(report: Report, { out, against, writeDocs }: Options): number {
  mkdirSync(out, { recursive: true })
  const text = markdown(report)
  const clients = report.options.clients.includes(16) ? 16 : (report.options.clients[0] ?? 1)
  const groups = groupsOf(report.rows, clients)
  const changes = against === null ? [] : compare(JSON.parse(readFileSync(against, 'utf8')) as Report, report)
  const compared = against === null ? '' : `\n\n### Against ${against}\n\n${comparison(changes)}`
  const picture = groups.length > 0 ? '\n\n![CPU of one operation by process](cpu.svg)' : ''
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'report.md'), `# The bench\n\n${text}${compared}${picture}\n`)
  if (groups.length > 0) writeFileSync(join(out, 'cpu.svg'), chart(groups, clients))
  if (writeDocs) fillDocs(text, report)
  process.stdout.write(`\n${text}${compared}\n\nKept in ${out}\n`)
  return changes.some(({ verdict }) => verdict === 'worse') ? 1 : 0
}

/** Puts the tables between the marks of their own kind of run. */
function fillDocs(text: string, { against }: Report): void {
  const mark = against === null ? 'bench' : 'bench against a commit'
  const between = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`)
  const file = join(root, 'docs/performance.md')
  const page = readFileSync(file, 'utf8')
  if (!between.test(page)) throw new Error(`${file} has no place for the tables`)
  writeFileSync(
    file,
    page.replace(between, (_, before: string, after: string) => `${before}\n${text}\n\n${after}`),
  )
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), root)
  if (options === 'help') {
    process.stdout.write(`${help}\n`)
    return 0
  }
  const { out, against } = options
  try {
    const report = await measure(options, reporterFor(process.stderr))
    return tell(report, {
      ...options,
      out: resolve(out),
      against: against === null ? null : resolve(against),
    })
  } finally {
    await stop.disposeAsync()
  }
}

// What runs is killed when this process exits, and only then.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

process.exit(await main())
