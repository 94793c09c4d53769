import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')

test('docs/operations.md names only what docs/telemetry.md says is measured', () => {
  const named = [...read('operations.md').matchAll(/`((?:platter|http|db)\.[a-z_.]+)`/g)]
  const names = new Set(named.map(([, name = '']) => name))
  const measured = read('telemetry.md')
  expect(names.size).toBeGreaterThan(5)
  expect([...names].filter((name) => !measured.includes(`\`${name}\``))).toEqual([])
})
