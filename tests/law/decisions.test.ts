import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/decisions')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const records = readdirSync(folder).filter((name) => name !== 'README.md')

/** Targets of the relative links of a document, without their fragments. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)

describe.each(records)('docs/decisions/%s', (name) => {
  test('states context, decision and consequences under its number in at most 60 lines', () => {
    const text = read(name)
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. `))
    expect(text.match(/^## .*$/gm)).toEqual(['## Context', '## Decision', '## Consequences'])
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })
})

test('the index of decision records lists each record once, in order of its number', () => {
  const rows = read('README.md')
    .split('\n')
    .filter((line) => /^\| \[\d{4}\]/.test(line))
  expect(rows.flatMap(linksIn)).toEqual(records.toSorted())
})
