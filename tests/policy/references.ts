import { dirname, join, matchesGlob } from 'node:path'

/**
 * The files of the repository by their paths from its root, and a function that reads one. For fast lookups, every file and folder
 * (`paths`), and every end of a path (`ends`).
 */
type Repository = {
  files: readonly string[]
  read: (file: string) => string
  paths: ReadonlySet<string>
  ends: ReadonlySet<string>
}

export function repositoryOf(files: readonly string[], read: (file: string) => string): Repository {
  const parts = files.map((file) => file.split('/'))
  return {
    files,
    read,
    paths: new Set(parts.flatMap((one) => one.map((_, at) => one.slice(0, at + 1).join('/')))),
    ends: new Set(parts.flatMap((one) => one.map((_, at) => one.slice(at).join('/')))),
  }
}

const EXTENSIONS = 'ts|tsx|mjs|md|sh|sql|yaml|yml|css|html|toml'

/** A file or glob by its path or name, not the path of a URL, a package, a placeholder or a place outside of the repository. */
const FILE = new RegExp(
  String.raw`(?<![\w./:@$…>*{}~-])(?:\.{1,2}/)*((?:[\w@.*{},-]+/)*[\w@*{},-][\w@.*{},-]*\.(?:${EXTENSIONS}))(?![\w/-]|\.\w)`,
  'g',
)
/** A folder of the repository, in backticks. */
const FOLDER =
  /`((?:apps|deploy|dev|docs|packages|services|tests)\/[\w@.*{},/-]+)`|\b(docs\/[\w-]+\/?)(?![\w./-])/g
/** `FILE, "Section"`, `FILE ("Section")`. */
const SECTION = /([\w./-]+\.md|\bREADME|\bARCHITECTURE)`?(?:\]\([^)]*\))?(?:,| \()\s*["“]([^"”]+)["”]/g
const DECISION = /\bdecisions? (\d{4})\b/gi
/** A reader cannot follow a number into a document whose sections have names. */
const NUMBERED = /\b(?:specification|interface|design) (?:section |chapter )?\d[\d.]*/gi
const LINK = /\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g

const HASH_COMMENTS =
  /\.(ya?ml|sh|toml)$|(^|\/)([\w.-]*Dockerfile|Caddyfile|\.gitignore|[\w.-]*\.dockerignore|\.npmrc)$/
export const isCode = (file: string) => /\.(ts|tsx|mjs|css)$|^turbo\.json$/.test(file)

/** Returns the text of a file: an entire document, or the comments of code. Each comment becomes one line. */
export function wordsOf(file: string, text: string): string {
  if (file.endsWith('.md')) return text.replaceAll(/ *\n(?=[^\n|#])/g, '\n').replaceAll('\n', '\n ')
  const marks = isCode(file) ? '//' : file.endsWith('.sql') ? '--' : HASH_COMMENTS.test(file) ? '#' : null
  if (marks === null) return ''
  const lines = new RegExp(String.raw`(?:(?:^|(?<=\s))${marks}[^\n]*(?:\n\s*(?=${marks}))?)+`, 'g')
  const blocks = isCode(file) ? (text.match(/(?<=^|\s)\/\*[^]*?\*\//gm) ?? []) : []
  const strip = new RegExp(String.raw`\n\s*(?:\*(?!/)|${marks})?|^\s*${marks}|^/\*+|\*/$`, 'g')
  return [...blocks, ...(text.match(lines) ?? [])].map((one) => one.replaceAll(strip, ' ')).join('\n')
}

/** Returns the anchor that GitHub creates from a heading. */
export const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

export const headingsOf = (markdown: string): string[] =>
  [...markdown.replaceAll(/^ *```[^]*?^ *```/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map(
    ([, heading = '']) => heading.replaceAll('`', ''),
  )

/** Expands a glob with braces to several globs without braces. */
function alternatives(path: string): string[] {
  const [whole = '', inner = ''] = /\{([^{}]*)\}/.exec(path) ?? []
  return whole === ''
    ? [path]
    : inner.split(',').flatMap((one) => alternatives(path.replace(whole, one.trim())))
}

/** Files that git ignores, and paths through a parent folder. */
const UNCHECKED = /^node_modules\/|\/\.\.\/|\/dist(\/|$)/

const isThere = (reference: string, { files, paths, ends }: Repository): boolean =>
  UNCHECKED.test(reference) ||
  alternatives(reference.replace(/\/$/, '')).every((one) =>
    one.includes('*')
      ? files.some((file) => matchesGlob(file, `**/${one}`) || matchesGlob(file, `**/${one}/**`))
      : ends.has(one) || paths.has(one),
  )

/** A document is named from the root, from the folder of `from`, or from docs/. */
function hasSection(document: string, section: string, from: string, { files, read }: Repository): boolean {
  const name = document.endsWith('.md') ? document : `${document}.md`
  const documents = ['', dirname(from), 'docs'].map((folder) => join(folder, name))
  const all = documents.filter((path) => files.includes(path)).flatMap((path) => headingsOf(read(path)))
  return all.includes(section.replaceAll('`', '').replaceAll(/\s+/g, ' '))
}

function hasTarget(
  path: string,
  anchor: string | undefined,
  from: string,
  { paths, read }: Repository,
): boolean {
  const target = path === '' ? from : join(dirname(from), path).replace(/\/$/, '')
  return paths.has(target) && (anchor === undefined || headingsOf(read(target)).map(slug).includes(anchor))
}

/** Returns all references in the comments or the text of one file without a target. */
export function brokenIn(file: string, repository: Repository): string[] {
  const words = wordsOf(file, repository.read(file))
  const checks: [pattern: RegExp, isValid: (match: RegExpExecArray) => boolean][] = [
    [FILE, ([, path = '']) => isThere(path, repository)],
    [FOLDER, ([, quoted, bare = '']) => isThere(quoted ?? bare, repository)],
    [SECTION, ([, document = '', section = '']) => hasSection(document, section, file, repository)],
    [DECISION, ([, number]) => isThere(`docs/decisions/${number}-*.md`, repository)],
    [NUMBERED, () => false],
    [LINK, ([, path = '', anchor]) => !file.endsWith('.md') || hasTarget(path, anchor, file, repository)],
  ]
  const broken = checks.flatMap(([pattern, isValid]) =>
    [...words.matchAll(pattern)]
      .filter((match) => !isValid(match))
      .map(([reference]) => reference.replaceAll('`', '')),
  )
  return [...new Set(broken)]
}
