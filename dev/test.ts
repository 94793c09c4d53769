/**
 * `npm test`: all static checks, then all tests, with their own progress on the terminal. Arguments after `--` go to vitest: `npm
 * test -- order`, `npm test -- --project unit`, `npm test -- -t 'card-refused'`. The last line is for tools: `N passed, N failed`,
 * and `, N skipped` if there are any.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseCLI } from 'vitest/node'
import { createProcessHost } from './process/host.ts'
import { plainReporter } from './progress.ts'
import { ensureChromium } from './servers/chromium.ts'
import { ensurePrograms } from './servers/programs.ts'
import { serverKinds } from './servers/types.ts'
import { ensureCompileCache } from './stack/compile-cache.ts'
import { ensureConsole } from './stack/console.ts'

/** The numbers of passed and skipped tests, and the file, name and error of each failed test. */
export type Outcome = { passed: number; failures: string[]; skipped: number }

const ROOT = join(import.meta.dirname, '..')
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['types', 'npm', 'run', '--silent', 'types'],
  ['lint', 'oxlint'],
  ['format', 'oxfmt', '--check', '.'],
]
/** Types and lint run side by side. The lint takes 14 core-seconds with one thread of Go, and 21 with two. */
const THREADS_OF_A_CHECK = String(Math.ceil(availableParallelism() / 2))
/**
 * Go's default of 100 collects garbage each time the heap has doubled. These programs run once, and their heap only grows: tsc takes 28
 * core-seconds in place of 35, with 1.1 GB of memory in either case.
 */
const GARBAGE_OF_A_CHECK = '400'
/** The sum of loads that keeps two cores busy. A load of 1 is about half a core, because tests also wait for servers and restarts. */
const FULL_LOAD = 4
/**
 * Each group is one vitest run, so that a stack that does not start hides no other results. End-to-end and browser tests share a
 * stack. A group starts as soon as its load fits beside the running groups. docs/tests.md, "Test runs", lists the commands of the
 * full-length tests, such as rolling.
 */
const GROUPS: { load: number; projects: string[] }[] = [
  { load: 2, projects: ['e2e', 'browser'] },
  { load: 2, projects: ['chaos'] },
  { load: 2, projects: ['unit', 'policy'] },
  { load: 1, projects: ['crash'] },
  { load: 1, projects: ['stack'] },
  { load: 1, projects: ['canary'] },
]

const { options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const total: Outcome = { passed: 0, failures: [], skipped: 0 }
const started = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

process.chdir(ROOT)
process.env['PATH'] = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
// The tests start about 80 processes. The cache halves the start-up time of each process except the first of its kind.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/node')

/** Prints the output of a check at its end, because the checks run in parallel. */
async function check([name, command, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const since = performance.now()
  const env = { ...process.env, GOMAXPROCS: THREADS_OF_A_CHECK, GOGC: GARBAGE_OF_A_CHECK }
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const ended = once(child, 'close')
  const output = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  console.log(`\n--- ${name}: ${[command, ...args].join(' ')}\n${output.join('')}`.trimEnd())
  console.log(`--- ${name} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(since)}`)
  return code === 0
}

/** Forwards whole lines, because several groups write to one terminal. */
function forward(from: Readable | null, to: Writable) {
  if (from) createInterface({ input: from }).on('line', (line) => to.write(`${line}\n`))
}

/**
 * Installs the servers and the browser during the checks, which need neither network nor disk: 20 s of a run on a new machine. Also
 * builds what every stack needs; otherwise the two groups that start first both build it, 5 core-seconds each. A group that needs an
 * absent program or build reports why it cannot be made.
 */
async function prepareGroups(): Promise<void> {
  const directory = join(ROOT, '.run/install')
  const reporter = plainReporter(console.log)
  const host = createProcessHost(directory)
  const context = { reporter, signal: undefined }
  await Promise.allSettled([
    ensurePrograms(serverKinds, { directory, host, reporter }),
    ensureConsole(host, context),
    ensureCompileCache(host, context),
  ])
  await ensureChromium(directory, reporter)
}

/** A group that ends early counts as a failed test. */
async function runGroup(group: string[], isAlone: boolean) {
  const args = [JSON.stringify(group), ...process.argv.slice(2)]
  const stdio = isAlone ? 'inherit' : 'pipe'
  const run = fork(join(import.meta.dirname, 'test-group.ts'), args, { stdio: [stdio, stdio, stdio, 'ipc'] })
  forward(run.stdout, process.stdout)
  forward(run.stderr, process.stderr)
  const stop = () => run.kill()
  process.on('SIGTERM', stop)
  let outcome: Outcome = {
    passed: 0,
    failures: [`${group.join(', ')}: ended before its last test`],
    skipped: 0,
  }
  run.on('message', (reported: Outcome) => {
    outcome = reported
  })
  await once(run, 'close')
  process.off('SIGTERM', stop)
  total.passed += outcome.passed
  total.failures.push(...outcome.failures)
  total.skipped += outcome.skipped
}

async function runTests() {
  const requested = options.project === undefined ? null : [options.project].flat()
  const groups = GROUPS.map(({ load, projects }) => ({
    load,
    projects: projects.filter((name) => requested?.includes(name) ?? true),
  })).filter(({ projects }) => projects.length > 0)
  let isStopped = false
  // The running groups also receive Ctrl-C and stop their processes. This process waits for them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isStopped = true
      total.failures.push(`stopped by ${signal}`)
    })
  const waiting = [...groups]
  let free = FULL_LOAD
  /** Starts the next groups whose load fits, and after each of them its successors. Resolves when all have ended. */
  async function startNext(): Promise<void> {
    const [next] = waiting
    if (next === undefined || next.load > free || isStopped) return
    waiting.shift()
    free -= next.load
    const ended = runGroup(next.projects, groups.length === 1).then(() => {
      free += next.load
      return startNext()
    })
    await Promise.all([ended, startNext()])
  }
  await startNext()
  if (total.passed + total.failures.length === 0) console.log('No test matches.')
}

const prepared = options.project === undefined ? prepareGroups() : Promise.resolve()
const passedChecks = await Promise.all(CHECKS.map(check))
await prepared
const broken = CHECKS.filter((_, at) => !passedChecks[at])
if (broken.length === 0) await runTests()
else {
  console.log(`\nNot tested, because this failed: ${broken.map(([name]) => name).join(', ')}`)
  total.failures = broken.map(([name]) => name)
}

// Repeated at the end, so that the end of a long log is sufficient.
for (const failure of total.failures) console.log(`\nFAILED ${failure}`)
console.log(`\nTook ${seconds(started)}.`)
const { passed, failures, skipped } = total
console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failures.length === 0 && passed > 0 ? 0 : 1)
