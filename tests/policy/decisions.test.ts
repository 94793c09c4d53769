import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/decisions')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const records = readdirSync(folder).filter((name) => name !== 'README.md')

describe.each(records)('docs/decisions/%s', (name) => {
  test('states context, decision and consequences under its number in at most 60 lines', () => {
    const text = read(name)
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. `))
    expect(text.match(/^## .*$/gm)).toEqual(['## Context', '## Decision', '## Consequences'])
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })
})

test('the index of decision records lists each record by its title, in order of its number', () => {
  const rows = [...read('README.md').matchAll(/^\| \[\d{4}\]\(([^)]+)\) +\| (.+?) +\|/gm)]
  const titles = records.toSorted().map((name) => [name, read(name).match(/^# \d{4}\. (.*)$/m)?.[1]])
  expect(rows.map(([, name, title]) => [name, title])).toEqual(titles)
})
