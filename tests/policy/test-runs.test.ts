import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import config from '../../vitest.config.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('each test project runs in npm test, or docs/tests.md names the command that runs it', () => {
  const groups = read('dev/test.ts').match(/^const GROUPS[^]*?^\]/m)?.[0] ?? ''
  const names = (config.test?.projects ?? []).map(
    (project) => (project as { test: { name: string } }).test.name,
  )
  expect(names.length).toBeGreaterThan(5)
  const missing = names.filter(
    (name) => !groups.includes(`'${name}'`) && !read('docs/tests.md').includes(`\`npm run ${name}\``),
  )
  expect(missing).toEqual([])
})

test('no test chooses its cases by the current date', () => {
  const chosenByDate = globSync('{apps,dev,packages,services,tests}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).filter((path) => /Date\.now\(\) (%|\/ (86_?400_?000|\w*DAY))/.test(read(path)))
  expect(chosenByDate).toEqual([])
})
