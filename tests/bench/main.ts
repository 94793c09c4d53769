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
import { againstCommit, replicas, tracing } from './sections/pairs.ts'
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
  const sections: Section[] = []
  if (options.againstCommit !== null)
    return {
      ...described,
      idle: {},
      rows: [],
      sections: [await comparedWith(options.againstCommit, { options, reporter, telemetry })],
    }
  const isWanted = (name: Section['name']) => (options.sections as readonly string[]).includes(name)
  if (isWanted('scale')) sections.push(await scale(options, { telemetry, reporter, root }))
  const isStackNeeded = options.operations.length > 0 || options.sections.some((name) => name !== 'scale')
  if (!isStackNeeded) return { ...described, idle: {}, rows: [], sections }
  const platform = await startPlatform({ directory, reporter, telemetry })
  stop.defer(() => platform.stop())
  const bench = await prepare(platform, join(root, '.run/bench-limits'), reporter)
  stop.defer(() => bench.stop())
  const nothing = { rows: [], idle: {} }
  const { rows, idle } =
    options.operations.length > 0 ? await measureTable(bench, options, reporter) : nothing
  sections.push(...(await more(platform, bench, { options, reporter, telemetry })))
  return { ...described, idle, rows, sections }
}

type Frame = { options: Options; reporter: Reporter; telemetry: string }

async function comparedWith(commit: string, { options, reporter, telemetry }: Frame): Promise<Section> {
  const load = await Worker.start<HttpJob, Outcome>('http-load.ts')
  stop.defer(() => load.stop())
  const { seconds, rounds } = options
  const out = join(root, '.run/bench-stack')
  return againstCommit({ load }, { out, seconds, rounds, reporter, telemetry }, commit)
}

async function more(
  platform: Platform,
  bench: Bench,
  { options, reporter, telemetry }: Frame,
): Promise<Section[]> {
  const { sections, seconds, rounds, requests } = options
  const isWanted = (name: Section['name']) => (sections as readonly string[]).includes(name)
  const frame = { out: join(root, '.run/bench-stack'), seconds, rounds, reporter, telemetry }
  return [
    ...(isWanted('paced') ? [await paced(platform, bench, { seconds: seconds * 10, reporter })] : []),
    ...(isWanted('replicas') ? [await replicas(bench, frame)] : []),
    ...(isWanted('tracing') ? [await tracing(bench, frame)] : []),
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
  if (writeDocs) fillDocs(text)
  process.stdout.write(`\n${text}${compared}\n\nKept in ${out}\n`)
  return changes.some(({ verdict }) => verdict === 'worse') ? 1 : 0
}

const BETWEEN = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/

function fillDocs(text: string): void {
  const file = join(root, 'docs/performance.md')
  const page = readFileSync(file, 'utf8')
  if (!BETWEEN.test(page)) throw new Error(`${file} has no place for the tables`)
  writeFileSync(
    file,
    page.replace(BETWEEN, (_, before: string, after: string) => `${before}\n${text}\n\n${after}`),
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
