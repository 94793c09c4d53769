/** A group of projects of `npm test`: one vitest run in a separate process. */
import { relative } from 'node:path'
import { parseCLI, startVitest, type Vitest } from 'vitest/node'
import type { Outcome } from './test.ts'

const outcome: Outcome = { passed: 0, failures: [], skipped: 0 }
const [group = '[]', ...args] = process.argv.slice(2)
// The parent has ended, so no process reads the results.
process.once('disconnect', () => process.exit(1))

const because = (errors: readonly { message: string }[]) => errors.map((error) => error.message).join('\n')

/** A file that does not load, or an error outside any test, counts as a failed test. */
function collect(vitest: Vitest) {
  for (const file of vitest.state.getTestModules()) {
    const path = relative(process.cwd(), file.moduleId)
    const tests = [...file.children.allTests()]
    const states = tests.map((one) => one.result().state)
    outcome.passed += states.filter((state) => state === 'passed').length
    outcome.skipped += states.filter((state) => state === 'skipped' || state === 'pending').length
    for (const test of tests.filter((_, at) => states[at] === 'failed'))
      outcome.failures.push(`${path} > ${test.fullName}\n${because(test.result().errors ?? [])}`)
    if (!states.includes('failed') && !file.ok()) outcome.failures.push(`${path}\n${because(file.errors())}`)
  }
  for (const error of vitest.state.getUnhandledErrors())
    outcome.failures.push(`outside any test\n${String((error as Error).stack ?? error)}`)
  if (process.exitCode && outcome.failures.length === 0)
    outcome.failures.push(`vitest ended with exit code ${process.exitCode}`)
}

const { filter, options } = parseCLI(['vitest', 'run', ...args])
const project = JSON.parse(group) as string[]
const started = performance.now()
console.log(`\n--- tests: ${project.join(' and ')}`)
collect(await startVitest(filter, { ...options, project, watch: false, passWithNoTests: true }))
console.log(
  `--- tests: ${project.join(' and ')}: over after ${((performance.now() - started) / 1000).toFixed(1)} s`,
)
process.send?.(outcome, () => process.exit(0))
