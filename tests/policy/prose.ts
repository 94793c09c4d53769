import jsTokens from 'js-tokens'
import { headingsOf, isCode, wordsOf } from './references.ts'

/** A fault in the prose of a document: the rule, and the words in question. */
export type Fault = { rule: 'sentence length' | 'heading' | 'banned' | 'name'; text: string }

/** The maximum number of words for nine of ten sentences. */
const WORDS = 30
const HEADING_WORDS = 10

/** A clause or a pronoun in place of a noun. */
const NO_SUBJECT =
  /^(what|who|whose|whom|how|why|when|where|which|if|that)\b|\b(it|its|this|these|that|those|them)$/i

export type Rules = {
  banned: readonly string[]
  /** The words that no name contains, and the names that are exempt. */
  inNames: ReadonlySet<string>
  exemptNames: ReadonlySet<string>
}

const inBackticks = (text: string) => new Set([...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word))

/**
 * Reads docs/glossary.md: the first column of "Banned words and idioms", in which a slash separates variants, and the words and the
 * table of "Banned words in names".
 */
export function rulesIn(glossary: string): Rules {
  const [, idioms = ''] = /^## Banned words and idioms$([^]*)/m.exec(glossary) ?? []
  const [, names = ''] = /^## Banned words in names$([^]*?)^## /m.exec(glossary) ?? []
  const cells = [...idioms.matchAll(/^\| ([^|]+)\|/gm)].slice(1).map(([, cell = '']) => cell)
  return {
    banned: cells
      .flatMap((cell) => cell.split('/').map((one) => one.trim()))
      .filter((one) => /^[a-z]/.test(one)),
    inNames: inBackticks(names.replaceAll(/^\|.*$/gm, '')),
    exemptNames: inBackticks((names.match(/^\|.*$/gm) ?? []).join('\n')),
  }
}

/** Returns the prose of a document, without code, quoted test titles, link targets and table rulers. */
const proseOf = (markdown: string): string =>
  markdown
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/“[^”]*”/g, 'quote')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[ |:-]+$/gm, '')

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0

/** Returns paragraphs, list items and cells, split at the ends of sentences. */
export function sentencesOf(markdown: string): string[] {
  const blocks = proseOf(markdown)
    .replaceAll(/^#.*$/gm, '\n')
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, '\n\n')
    .replaceAll(/ *\|[ \n]*/g, '\n\n')
    .split(/\n\s*\n/)
  return blocks
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.?!]["*)_]*)\s/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsIn(sentence) > 3)
}

/** Returns the long sentences above the permitted tenth. */
function tooLong(markdown: string): Fault[] {
  const sentences = sentencesOf(markdown).toSorted((a, b) => wordsIn(b) - wordsIn(a))
  const allowed = Math.floor(sentences.length / 10)
  return sentences
    .slice(allowed)
    .filter((sentence) => wordsIn(sentence) > WORDS)
    .map((text) => ({ rule: 'sentence length', text: `${wordsIn(text)} words: ${text}` }))
}

const headings = (markdown: string): Fault[] =>
  headingsOf(markdown)
    .filter((heading) => NO_SUBJECT.test(heading) || wordsIn(heading) > HEADING_WORDS)
    .map((text) => ({ rule: 'heading', text }))

function bannedWords(prose: string, banned: readonly string[]): Fault[] {
  const idioms = new RegExp(
    String.raw`(?<![\w-])(?:${banned.join('|').replaceAll(' ', String.raw`\s+`)})\b`,
    'giu',
  )
  return [...prose.matchAll(idioms)].map(({ 0: word, index, input }) => ({
    rule: 'banned',
    text: `${word}: …${input.slice(Math.max(0, index - 40), index + 40).replaceAll(/\s+/g, ' ')}…`,
  }))
}

const NAME_TOKENS = new Set(['IdentifierName', 'PrivateIdentifier', 'JSXIdentifier'])
const STRING_TOKENS = new Set(['StringLiteral', 'NoSubstitutionTemplate', 'JSXString'])
const TEMPLATE_PARTS = new Set(['TemplateHead', 'TemplateMiddle', 'TemplateTail'])

/**
 * Returns the names of code, and its strings with a space, because other strings are identifiers. SQL, tagged `sql` or after such a
 * comment, is code.
 */
function namesAndStringsIn(code: string): { names: Set<string>; strings: string[] } {
  const names = new Set<string>()
  const strings: string[] = []
  const templates: boolean[] = []
  let start = 0
  /** Reads the end of the text before a token. With the whole text, the time would be quadratic in its length. */
  const isSql = () => /\bsql(<[^`]*>| \*\/ )?$/.test(code.slice(Math.max(0, start - 200), start))
  for (const { type, value } of jsTokens(code, { jsx: true })) {
    if (NAME_TOKENS.has(type)) names.add(value)
    if (type === 'TemplateHead') templates.push(isSql())
    const isString = STRING_TOKENS.has(type) && /\s/.test(value) && !isSql()
    if (type === 'JSXText' || isString || (TEMPLATE_PARTS.has(type) && !templates.at(-1))) strings.push(value)
    if (type === 'TemplateTail') templates.pop()
    start += value.length
  }
  return { names, strings }
}

/** Returns whether a name contains a banned word. Each word begins at a capital letter or an underscore. */
const isBannedName = (name: string, { inNames, exemptNames }: Rules): boolean =>
  !exemptNames.has(name) &&
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).some((word) => inNames.has(word.toLowerCase()))

/**
 * Returns all faults in the prose of a file: a document, the comments of a configuration, or the comments, strings and names of code.
 * Strings include test titles and texts of the interface.
 */
export function faultsIn(file: string, text: string, rules: Rules): Fault[] {
  if (file.endsWith('.md'))
    return [...headings(text), ...tooLong(text), ...bannedWords(proseOf(text), rules.banned)]
  const { names, strings } = namesAndStringsIn(isCode(file) ? text : '')
  const faultyNames = [...names].filter((name) => isBannedName(name, rules))
  return [
    ...bannedWords([wordsOf(file, text), ...strings].join('\n'), rules.banned),
    ...faultyNames.map((name): Fault => ({ rule: 'name', text: name })),
  ]
}
