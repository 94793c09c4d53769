import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn } from './files.ts'
import { brokenIn, repositoryOf, wordsOf } from './references.ts'

/* A path, section or decision in a comment or a document must exist. */

const root = join(import.meta.dirname, '../..')
const files = filesIn(root)

/** A migration that ran in any installation is never edited, so its comments are not checked. */
const checked = files.filter((file) => !file.includes('/migrations/'))

const repository = repositoryOf(files, (file) => readFileSync(join(root, file), 'utf8'))

/** No decision has this number. */
const UNUSED = '9999'

const brokenOf = (file: string, text: string) =>
  brokenIn(
    file,
    repositoryOf([...files, file], (one) => (one === file ? text : repository.read(one))),
  )

test('every file, section and decision that a comment or a document names exists', () => {
  const broken = checked.flatMap((file) => brokenIn(file, repository).map((one) => `${file}: ${one}`))
  expect(broken).toEqual([])
})

test('finds more than 30 references to docs/interface.md', () => {
  const words = checked.map((file) => wordsOf(file, repository.read(file)))
  expect(words.join('\n').match(/docs\/interface\.md/g)?.length).toBeGreaterThan(30)
})

test.each([
  ['services/orders/src/planted.ts', "/** As services/orders/src/nowhere.ts does. */\nconst a = 'b'\n", 1],
  ['services/orders/src/planted.ts', '// design.md, "Processes"\n', 2],
  ['services/orders/src/planted.ts', '// The rules of docs/interface.md, "No such\n// section".\n', 1],
  ['services/orders/src/planted.ts', '/**\n * See specification section 2.\n */\n', 1],
  ['services/orders/src/planted.ts', `const a = 1 // decision ${UNUSED}\n`, 1],
  ['deploy/planted.yaml', 'a: b # docs/nowhere.md\n', 1],
  ['docs/planted.md', 'See [there](nowhere.md), [here](#no-heading), `services/nowhere/src`.\n', 4],
  ['docs/planted.md', 'All of `services/*/src/nowhere.ts`.\n', 1],
])('finds a reference without a target: %s %j', (file, text, count) => {
  expect(brokenOf(file, text)).toHaveLength(count)
})

test.each([
  [
    'services/orders/src/planted.ts',
    '/** docs/interface.md, "Order\n * checks"; decision 0005; `wire.ts`. */\n',
  ],
  ['services/orders/src/planted.ts', "const url = 'https://example.org/nowhere.md' // /tmp/nowhere.ts\n"],
  ['services/orders/src/planted.ts', "const text = 'docs/nowhere.md'\n"],
  [
    'docs/planted.md',
    '# One\n\n[one](#one), [two](interface.md#order-checks), `services/*`, `tests/policy/{docs,problems}.test.ts`\n',
  ],
  [
    'docs/planted.md',
    '`.run/stack.json`, `node_modules/a/b.ts`, https://example.org/a/b.md, `@platter/kit`\n',
  ],
])('accepts existing targets, and text without a reference: %s %j', (file, text) => {
  expect(brokenOf(file, text)).toEqual([])
})
