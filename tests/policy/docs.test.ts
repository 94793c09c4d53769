import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pages } from '../../dev/docs/pages.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

// A comparison by `toBe` would print both texts, 600 KB each.
test('the generated pages of docs/ are current', () => {
  const stale = Object.entries(pages()).filter(([name, text]) => read(name) !== text)
  expect(
    stale.map(([name]) => name),
    'run `npm run docs`',
  ).toEqual([])
})
