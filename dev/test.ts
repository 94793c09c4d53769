/**
 * `npm test`: every static check, then every test, with the tests' own progress on the terminal. What follows
 * `--` goes to vitest: `npm test -- order`, `npm test -- --project unit`, `npm test -- -t 'card-refused'`.
 * The last line is for tools: `N passed, N failed`, and `, N skipped` when there are any.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { parseCLI, startVitest, type Vitest } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['types', 'turbo', 'run', 'types', '--continue'],
  ['lint', 'oxlint'],
  ['format', 'oxfmt', '--check', '.'],
]
// Crash points and rolling restarts have commands of their own: npm run crash-points, npm run rolling.
// One vitest run each: a stack that does not start must not hide the other projects' results, and two sets of
// servers at the same time are too much for a small machine.
const GROUPS = [['unit', 'law'], ['stack'], ['e2e', 'browser'], ['chaos']]

const total = { passed: 0, failed: 0, skipped: 0 }
const started = performance.now()
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

process.chdir(ROOT)
process.env['PATH'] = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
process.env['TURBO_TELEMETRY_DISABLED'] = '1'

function check([name, command, ...args]: (typeof CHECKS)[number]): boolean {
  const since = performance.now()
  console.log(`\n--- ${name}: ${[command, ...args].join(' ')}`)
  const passed = spawnSync(command, args, { stdio: 'inherit' }).status === 0
  console.log(`--- ${name} ${passed ? 'passed' : 'FAILED'} in ${seconds(since)}`)
  return passed
}

/** A file that does not load or an error outside any test has no failed test of its own, and counts as one. */
function count(vitest: Vitest) {
  const failedBefore = total.failed
  for (const file of vitest.state.getTestModules()) {
    const states = [...file.children.allTests()].map((one) => one.result().state)
    const failed = states.filter((state) => state === 'failed').length
    total.passed += states.filter((state) => state === 'passed').length
    total.skipped += states.filter((state) => state === 'skipped' || state === 'pending').length
    total.failed += failed === 0 && !file.ok() ? 1 : failed
  }
  total.failed += vitest.state.getUnhandledErrors().length
  if (process.exitCode && total.failed === failedBefore) total.failed += 1
}

async function runTests() {
  const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
  const asked = options.project === undefined ? GROUPS.flat() : [options.project].flat()
  for (const group of GROUPS) {
    const project = group.filter((name) => asked.includes(name))
    if (project.length === 0) continue
    console.log(`\n--- tests: ${project.join(' and ')}`)
    process.exitCode = 0
    count(await startVitest(filter, { ...options, project, watch: false, passWithNoTests: true }))
  }
  if (total.passed + total.failed === 0) console.log('No test matches.')
}

const broken = CHECKS.filter((one) => !check(one))
if (broken.length === 0) {
  await runTests().catch((error: unknown) => {
    console.error(error)
    total.failed += 1
  })
} else {
  console.log(`\nNot tested, because this failed: ${broken.map(([name]) => name).join(', ')}`)
  total.failed = broken.length
}

console.log(`\nTook ${seconds(started)}.`)
console.log(
  `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`,
)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
