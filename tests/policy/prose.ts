import jsTokens from 'js-tokens'

/** A fault in the prose of a document: the rule, and the words in question. */
export type Fault = { rule: 'sentence length' | 'heading' | 'banned' | 'name'; text: string }

/** The maximum number of words for nine of ten sentences. */
const WORDS = 30
const HEADING_WORDS = 10

/** A clause or a pronoun in place of a noun. */
const NO_SUBJECT =
  /^(what|who|whose|whom|how|why|when|where|which|if|that)\b|\b(it|its|this|these|that|those|them)$/i

/** Returns the first column of the table under "Banned words and idioms" in docs/glossary.md. A slash separates variants. */
export function bannedIn(glossary: string): string[] {
  const [, section = ''] = /^## Banned words and idioms$([^]*)/m.exec(glossary) ?? []
  return [...section.matchAll(/^\| ([^|]+)\|/gm)]
    .slice(1)
    .flatMap(([, cell = '']) => cell.split('/').map((one) => one.trim()))
    .filter((one) => /^[a-z]/.test(one))
}

/** The words that no name contains, and the names that are exempt. */
export type NameRule = { words: ReadonlySet<string>; exempt: ReadonlySet<string> }

const inBackticks = (text: string) => new Set([...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word))

/** Reads the section "Banned words in names" of docs/glossary.md: the words of its text, and the names of its table. */
export function nameRuleIn(glossary: string): NameRule {
  const [, section = ''] = /^## Banned words in names$([^]*?)^## /m.exec(glossary) ?? []
  const table = section.match(/^\|.*$/gm) ?? []
  return { words: inBackticks(section.replaceAll(/^\|.*$/gm, '')), exempt: inBackticks(table.join('\n')) }
}

const NAME_TOKENS = new Set(['IdentifierName', 'PrivateIdentifier', 'JSXIdentifier'])

const wordsOf = (name: string) => name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []

/** Returns the names in TypeScript that contain a banned word. Each word begins at a capital letter or an underscore. */
export function faultsInNames(code: string, { words, exempt }: NameRule): Fault[] {
  const names = [...jsTokens(code, { jsx: true })].flatMap(({ type, value }) =>
    NAME_TOKENS.has(type) && !exempt.has(value) ? [value] : [],
  )
  return [...new Set(names)]
    .filter((name) => wordsOf(name).some((word) => words.has(word.toLowerCase())))
    .map((text) => ({ rule: 'name', text }))
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
  [...markdown.replaceAll(/^ *```[^]*?^ *```/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)]
    .map(([, heading = '']) => heading)
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

/** Returns all faults in the prose of a document. */
export const faultsIn = (markdown: string, banned: readonly string[]): Fault[] => [
  ...headings(markdown),
  ...tooLong(markdown),
  ...bannedWords(proseOf(markdown), banned),
]

const PROSE_TOKENS = new Set(['MultiLineComment', 'SingleLineComment', 'JSXText'])
const STRING_TOKENS = new Set(['StringLiteral', 'NoSubstitutionTemplate', 'JSXString'])
const TEMPLATE_PARTS = new Set(['TemplateHead', 'TemplateMiddle', 'TemplateTail'])

/**
 * Returns comments, and strings with a space, because other strings are identifiers. SQL, tagged `sql` or after such a comment, is
 * code.
 */
function proseOfCode(code: string): string[] {
  const prose: string[] = []
  const templates: boolean[] = []
  let before = ''
  for (const { type, value } of jsTokens(code, { jsx: true })) {
    const isSql = /\bsql(<[^`]*>| \*\/ )?$/.test(before.slice(-200))
    if (type === 'TemplateHead') templates.push(isSql)
    const isString = STRING_TOKENS.has(type) && !isSql && /\s/.test(value)
    if (PROSE_TOKENS.has(type) || isString || (TEMPLATE_PARTS.has(type) && !templates.at(-1)))
      prose.push(value)
    if (type === 'TemplateTail') templates.pop()
    before += value
  }
  return prose.map((text) => text.replaceAll(/\n\s*(\*|\/\/)?\s*/g, ' '))
}

/** Returns the banned words in the comments of YAML, shell scripts, Dockerfiles and Caddyfiles. */
export const faultsInConfiguration = (text: string, banned: readonly string[]): Fault[] =>
  bannedWords([...text.matchAll(/(?:^|\s)#\s+(.*)$/gm)].map(([, comment = '']) => comment).join(' '), banned)

/** Returns the banned words in the comments and strings of TypeScript. Strings include test titles and texts of the interface. */
export const faultsInCode = (code: string, banned: readonly string[]): Fault[] =>
  bannedWords(proseOfCode(code).join('\n'), banned)
