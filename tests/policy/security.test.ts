import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'

/* docs/assurance/security.md names the test for each control. It must not name a renamed or removed test. */

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/assurance/security.md'), 'utf8')

type Named = { file: string; test: string }

/** The format of a cell: `…/some.test.ts`: “name” “another name”. A file without a title represents all of its tests. */
function namedIn(markdown: string): Named[] {
  const files = markdown.split(/`([\w./-]+\.test\.ts)`/).slice(1)
  return files.flatMap((file, at) => {
    if (at % 2 === 1) return []
    const cell = (files[at + 1] ?? '').split('|')[0] ?? ''
    const names = [...cell.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name)
    return names.length === 0 ? [{ file, test: '' }] : names.map((name) => ({ file, test: name }))
  })
}

const sources = new Map<string, string>()
function isFound({ file, test: name }: Named): boolean {
  if (!existsSync(join(root, file))) return false
  const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, source)
  return source.replaceAll(String.raw`\'`, "'").includes(name)
}

test('distinguishes named tests from other text', () => {
  const text = '| K1 | x | `a/b.test.ts`: “one” “two”; `c.unit.test.ts` | “three” |\n`d.ts` “four”\n'
  expect(namedIn(text)).toEqual([
    { file: 'a/b.test.ts', test: 'one' },
    { file: 'a/b.test.ts', test: 'two' },
    { file: 'c.unit.test.ts', test: '' },
  ])
  expect(
    isFound({ file: 'tests/policy/security.test.ts', test: 'distinguishes named tests from other text' }),
  ).toBe(true)
  expect(
    isFound({ file: 'tests/policy/security.test.ts', test: ['no', 'test'].join(' of this name ') }),
  ).toBe(false)
  expect(isFound({ file: 'tests/policy/nowhere.test.ts', test: '' })).toBe(false)
})

test('every test that docs/assurance/security.md names exists', () => {
  const named = namedIn(page)
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter((one) => !isFound(one))).toEqual([])
})

test('the diagram of docs/assurance/security.md shows every service', () => {
  const [, picture = ''] = /```mermaid\n([^]*?)```/.exec(page) ?? []
  const services = globSync('services/*', { cwd: root }).map((folder) => basename(folder))
  expect(services).toContain('orders')
  expect(services.filter((name) => !new RegExp(`\\b${name}\\b.*-->`).test(picture))).toEqual([])
})

/** The families of controls, with the number of controls in each. */
const FAMILIES = { K: 9, API: 10, P: 9, W: 6, H: 10, O: 5, L: 4, C: 6 }
const expected = Object.entries(FAMILIES).flatMap(([family, count]) =>
  Array.from({ length: count }, (_, at) => `${family}${at + 1}`),
)

describe('rows of the controls', () => {
  const rows = new Map(
    [...page.matchAll(/^\| +([A-Z]+\d+) +\|(.*)$/gm)].map(([, id = '', rest = '']) => [id, rest]),
  )

  test('are complete, unique and in order', () => {
    const ids = [...page.matchAll(/^\| +([A-Z]+\d+) +\|/gm)].map(([, id]) => id)
    expect(ids).toEqual(expected)
  })

  test.each(expected)('%s has a control, and a test or the reason why there is none', (id) => {
    const [control = '', shown = ''] = (rows.get(id) ?? '').split(' | ')
    expect(control.trim().length).toBeGreaterThan(20)
    expect(shown).toMatch(/\.test\.ts`|npm run |no test/)
  })
})
