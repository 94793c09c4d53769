import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('eight files contain the path of a card order, in at most 1,200 lines', () => {
  const [, list = ''] = /these eight files .*\n\n((?:\d\. .*\n)+)/.exec(read('ARCHITECTURE.md')) ?? []
  const files = [...list.matchAll(/^\d\. `([^`]+)`/gm)].map(([, path = '']) => path)
  expect(files).toHaveLength(8)
  const lines = files.map((file) => read(file).split('\n').length - 1)
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1_200)
})
