/**
 * `npm test`: every static check, then every test, with the tests' own progress on the terminal. What follows
 * `--` goes to vitest: `npm test -- order`, `npm test -- --project unit`, `npm test -- -t 'card-refused'`.
 * The last line is for tools: `N passed, N failed`, and `, N skipped` when there are any.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseCLI } from 'vitest/node'

/** How many tests passed and were skipped, and of each that failed where it stands, its name and its error. */
export type Outcome = { passed: number; failures: string[]; skipped: number }

const ROOT = join(import.meta.dirname, '..')
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['types', 'npm', 'run', '--silent', 'types'],
  ['lint', 'oxlint'],
  ['format', 'oxfmt', '--check', '.'],
]
// Not here: the project rolling. README.md, "What npm test runs", says which commands run at full length.
// Lanes run side by side, so that one computes while another waits: the third one mostly waits, for processes that it has
// killed. In a lane one vitest run after the other: a stack that does not start must not hide the other projects' results.
// The browser tests use the end-to-end tests' stack, after them.
const LANES = [[['unit', 'law'], ['stack']], [['e2e', 'browser']], [['chaos'], ['crash'], ['canary']]]

const total: Outcome = { passed: 0, failures: [], skipped: 0 }
const started = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

process.chdir(ROOT)
process.env['PATH'] = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
// Some 80 processes of ours are started: each but the first of its kind in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/node')

/** Says nothing before its end: the checks run side by side. */
async function check([name, command, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const since = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const said = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  console.log(`\n--- ${name}: ${[command, ...args].join(' ')}\n${said.join('')}`.trimEnd())
  console.log(`--- ${name} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(since)}`)
  return code === 0
}

/** By whole lines, for several lanes write to one terminal. */
function passOn(from: Readable | null, to: Writable) {
  let rest = ''
  from?.setEncoding('utf8')
  from?.on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) to.write(rest + chunk.slice(0, end))
    rest = end > 0 ? chunk.slice(end) : rest + chunk
  })
  from?.on('end', () => to.write(rest))
}

/** A lane that does not come to its end counts as a failed test. */
async function runLane(groups: string[][], isAlone: boolean) {
  const args = [JSON.stringify(groups), ...process.argv.slice(2)]
  const stdio = isAlone ? 'inherit' : 'pipe'
  const lane = fork(join(import.meta.dirname, 'test-lane.ts'), args, { stdio: [stdio, stdio, stdio, 'ipc'] })
  passOn(lane.stdout, process.stdout)
  passOn(lane.stderr, process.stderr)
  process.on('SIGTERM', () => lane.kill())
  let outcome: Outcome = {
    passed: 0,
    failures: [`${groups.flat().join(', ')}: ended before all was run`],
    skipped: 0,
  }
  lane.on('message', (told: Outcome) => {
    outcome = told
  })
  await once(lane, 'close')
  total.passed += outcome.passed
  total.failures.push(...outcome.failures)
  total.skipped += outcome.skipped
}

async function runTests() {
  const { options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
  const asked = options.project === undefined ? LANES.flat(2) : [options.project].flat()
  const lanes = LANES.map((groups) =>
    groups.map((group) => group.filter((name) => asked.includes(name))).filter((group) => group.length > 0),
  ).filter((groups) => groups.length > 0)
  // The lanes are told of Ctrl-C as well; they stop what they have started, and this waits for them.
  process.on('SIGINT', () => total.failures.push('stopped by Ctrl-C'))
  await Promise.all(lanes.map((groups) => runLane(groups, lanes.length === 1)))
  if (total.passed + total.failures.length === 0) console.log('No test matches.')
}

const held = await Promise.all(CHECKS.map(check))
const broken = CHECKS.filter((_, at) => !held[at])
if (broken.length === 0) await runTests()
else {
  console.log(`\nNot tested, because this failed: ${broken.map(([name]) => name).join(', ')}`)
  total.failures = broken.map(([name]) => name)
}

// Once more at the end, where somebody who has only the end of a long log looks.
for (const failure of total.failures) console.log(`\nFAILED ${failure}`)
console.log(`\nTook ${seconds(started)}.`)
const { passed, failures, skipped } = total
console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failures.length === 0 && passed > 0 ? 0 : 1)
