import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn } from './files.ts'
import { faultsIn, rulesIn, sentencesOf } from './prose.ts'

/* Documents, comments and strings are plain English: docs/glossary.md has the rules and the banned words. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const rules = rulesIn(read('docs/glossary.md'))

/** All documents, generated ones too, code and configuration. This test plants banned words. */
const files = [
  ...filesIn(root, ['*.md', '*.ts', '*.tsx', '*.mjs', '*.css', 'turbo.json', ':!tests/policy/prose.test.ts']),
  ...filesIn(root, ['*.yaml', '*.yml', '*.sh', '*Dockerfile', '*.dockerignore', '*Caddyfile']),
]

/** The glossary names the words that it bans. */
const withoutTables = (markdown: string) => markdown.replaceAll(/^\|.*$/gm, '')
const textOf = (file: string) => (file === 'docs/glossary.md' ? withoutTables(read(file)) : read(file))

test('the glossary bans more than 50 words, and the checked documents include docs/interface.md', () => {
  expect(rules.banned).toContain('say again')
  expect(rules.banned.length).toBeGreaterThan(50)
  expect(rules.inNames.size).toBeGreaterThan(10)
  expect(files).toContain('docs/interface.md')
})

test.each(files)('%s is plain English', (file) => {
  expect(faultsIn(file, textOf(file), rules)).toEqual([])
})

const rulesOf = (text: string, file = 'planted.md') => faultsIn(file, text, rules).map(({ rule }) => rule)

describe('faults in prose', () => {
  const long = `The gateway ${'really '.repeat(30)}works.`

  test.each([
    ['an idiom', 'Its row says it. A lost command is\nsaid again by a replica.', ['banned']],
    ['an idiom in a cell', '| a | b |\n| --- | --- |\n| Nobody is connected. | c |', ['banned']],
    ['a clause as a heading', '## What a restaurant says of its menu', ['heading']],
    ['a pronoun as a heading', '# Operating it', ['heading']],
    ['a sentence of 32 words', long, ['sentence length']],
    ['a long cell', `| a |\n| --- |\n| ${long} |`, ['sentence length']],
  ])('finds %s', (_, markdown, expected) => {
    expect(rulesOf(markdown)).toEqual(expected)
  })

  test('finds an idiom in a comment of YAML', () => {
    const text = 'a: b # The command is\n# said again.\n'
    expect(rulesOf(text, 'planted.yaml')).toEqual(['banned'])
    expect(rulesOf('a: known-to-everybody\n', 'planted.yaml')).toEqual([])
  })

  test.each([
    ['a comment', '// The command is\n// said again.\nconst a = 1'],
    ['a block comment', '/**\n * The command is said\n * again.\n */'],
    ['the title of a test', "test('nobody is charged', () => {})"],
    ['a template', 'log(`nobody has ${key}`)'],
    ['an element', 'const a = <p>Nobody is here.</p>'],
  ])('finds an idiom in %s', (_, text) => {
    expect(rulesOf(text, 'planted.ts')).toEqual(['banned'])
  })

  test('finds a banned word in a name', () => {
    const planted = 'const isTold = whoWasAsked(order.told)'
    expect(faultsIn('planted.ts', planted, rules)).toEqual([
      { rule: 'name', text: 'isTold' },
      { rule: 'name', text: 'whoWasAsked' },
    ])
    expect(rulesOf('const a = retries + tellers', 'planted.ts')).toEqual([])
  })

  test.each([
    ['a name', 'const nobody = told(a / 2, anew)'],
    ['an identifier', "const rules = ['charge-of-nobody', 'a charge-of-nobody']"],
    ['SQL', 'sql<Row>`select told from orders where ${key} and told`'],
  ])('accepts %s in code', (_, text) => {
    expect(rulesOf(text, 'planted.ts')).not.toContain('banned')
  })

  test.each([
    ['code and test titles', '`nobody` and “a key that nobody has”.\n\n```sh\necho nobody\n```\n'],
    ['one long sentence of ten', `${long}\n\n${'The gateway forwards each request.\n\n'.repeat(9)}`],
    ['a noun phrase', '## Availability overrides'],
  ])('accepts %s', (_, markdown) => {
    expect(rulesOf(markdown)).toEqual([])
  })
})

test('sentencesOf splits paragraphs, list items and cells into sentences', () => {
  expect(
    sentencesOf(
      '# No\n\nOne is a sentence. Two is\none more.\n\n- Three is an item\n\n| Four is a cell | five |\n',
    ),
  ).toEqual(['One is a sentence.', 'Two is one more.', 'Three is an item', 'Four is a cell'])
})
