import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/*
 * Checks pure code where oxlint cannot. It has no no-restricted-syntax, so it cannot distinguish `new Date()` (reads the clock)
 * from `new Date(at)`. oxlint.config.ts has all other rules for a pure folder.
 */

const root = join(import.meta.dirname, '../..')
const FOLDERS = 'services/*/src/{domain,saga}/**/*.ts'
const CLOCKS = [/\bDate\s*\(\s*\)/, /\bnew\s+Date\b(?!\s*\()/, /\bTemporal\s*\.\s*Now\b/]

const withoutComments = (code: string) => code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<!:)\/\/.*$/gm, '')
const readsTheClock = (code: string) => CLOCKS.some((clock) => clock.test(withoutComments(code)))

test.each(['new Date()', 'new Date( )', 'new Date', 'Date()', 'Temporal.Now.instant()'])(
  '%s counts as a read of the clock',
  (code) => {
    expect(readsTheClock(`export const now = () => ${code}\n`)).toBe(true)
  },
)

test.each(['new Date(at)', 'new Date (0)', 'let at: Date', 'at.toDate()', '// new Date()', '/* Date() */'])(
  '%s does not count as a read of the clock',
  (code) => {
    expect(readsTheClock(`${code}\n`)).toBe(false)
  },
)

test('no file of a domain or saga reads the clock: the time is an argument', () => {
  const files = globSync(FOLDERS, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  expect(files.length, `files in ${FOLDERS}`).toBeGreaterThan(0)
  expect(files.filter((file) => readsTheClock(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
