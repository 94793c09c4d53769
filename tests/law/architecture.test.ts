import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/* A path in the guides is a promise. Written from the repo's root; globs and {a,b} must match something. */

const root = join(import.meta.dirname, '../..')
const FENCES = /^ *```[\s\S]*?^ *```/gm
/** Not paths: commands, placeholders, URLs and their paths, package names, media types, what a run creates. */
const NOT_A_PATH = /[\s<>…$]|^[/@#]|:\/\/|^(application|text|image|multipart)\/|^\.run(\/|$)|^node_modules\//

function pathsIn(markdown: string): string[] {
  const inBackticks = [...markdown.replace(FENCES, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')
  const paths = inBackticks.filter((code) => code.includes('/') && !NOT_A_PATH.test(code))
  return [...new Set(paths.map((path) => path.replace(/(:\d+)?$/, '').replace(/^\.\/|\/$/g, '')))]
}

const exists = (path: string) => globSync(path, { cwd: root }).length > 0

test('paths are told from other code', () => {
  const text =
    '`a/b.ts:3` `./c/` `/publicapi/v1` `npm run a/b` `@platter/kit` `services/<name>/x` `text/html`\n```\nd/e\n```\n'
  expect(pathsIn(text)).toEqual(['a/b.ts', 'c'])
  expect(exists('tests/law/{architecture,ambient}.test.ts')).toBe(true)
  expect(exists('services/*/src/nowhere.ts')).toBe(false)
})

describe.each(['ARCHITECTURE.md', 'README.md', 'docs/security.md'])('%s', (guide) => {
  test('every path that it names exists', () => {
    expect(pathsIn(readFileSync(join(root, guide), 'utf8')).filter((path) => !exists(path))).toEqual([])
  })
})
