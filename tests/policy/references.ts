import { dirname, join, matchesGlob, normalize } from 'node:path'

/**
 * The files of the repository by their paths from its root, and a function that reads one. For fast lookups, every file and folder
 * (`paths`), and every end of a path (`ends`).
 */
export type Repository = {
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

/** The possible targets of a reference in `from`: from the root, from its folder, or in docs/. */
const targets = (reference: string, from: string): string[] => {
  const path = reference.replace(/\/$/, '')
  return [path, join(dirname(from), path), join('docs', path)].map((one) => normalize(one))
}

function isThere(reference: string, from: string, repository: Repository): boolean {
  const { files, paths, ends } = repository
  return alternatives(reference).every((one) =>
    one.includes('*')
      ? [...targets(one, from), `**/${one}`].some((glob) =>
          files.some((file) => matchesGlob(file, glob) || matchesGlob(file, `${glob}/**`)),
        )
      : ends.has(one) || targets(one, from).some((path) => paths.has(path)),
  )
}

function hasSection(document: string, section: string, from: string, repository: Repository): boolean {
  const name = document.endsWith('.md') ? document : `${document}.md`
  const documents = targets(name, from).filter((path) => repository.files.includes(path))
  const all = documents.flatMap((file) => headingsOf(repository.read(file)))
  return all.includes(section.replaceAll('`', '').replaceAll(/\s+/g, ' '))
}

/** Returns all references in the comments or the text of one file without a target. */
export function brokenIn(file: string, repository: Repository): string[] {
  const words = wordsOf(file, repository.read(file))
  const named = [...words.matchAll(FILE)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('node_modules/') && !path.includes('/../'))
  const folders = [...words.matchAll(FOLDER)]
    .map(([, quoted, bare]) => quoted ?? bare ?? '')
    .filter((path) => !/\/dist(\/|$)/.test(path))
  const links = file.endsWith('.md') ? [...words.matchAll(LINK)] : []
  const broken = [
    ...[...named, ...folders].filter((path) => !isThere(path, file, repository)),
    ...[...words.matchAll(SECTION)].flatMap(([reference, document = '', section = '']) =>
      hasSection(document, section, file, repository) ? [] : [reference],
    ),
    ...[...words.matchAll(DECISION)].flatMap(([reference, number = '']) =>
      isThere(`docs/decisions/${number}-*.md`, file, repository) ? [] : [reference],
    ),
    ...(words.match(NUMBERED) ?? []),
    ...links.flatMap(([reference, path = '', anchor]) => {
      const target = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '')
      const found =
        repository.paths.has(target) &&
        (anchor === undefined || headingsOf(repository.read(target)).map(slug).includes(anchor))
      return found ? [] : [reference]
    }),
  ]
  return [...new Set(broken)]
}
