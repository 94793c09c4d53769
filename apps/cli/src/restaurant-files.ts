import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EXIT, Failure } from '#/exit.ts'

/** The parts of a file before their validation by the platform. */
export type Bundle = {
  file: string
  apiKey: string
  restaurant?: unknown
  menu?: unknown
  link?: unknown
  /** The JSON Pointer of each part; '' if the part is the whole file. */
  at: Partial<Record<Part, string>>
}
export type Part = 'restaurant' | 'menu' | 'link'

/** An error in a file, at a JSON Pointer. */
export type FileFault = { file: string; pointer: string; detail: string }

/**
 * Replaces each folder with its `.json` files, sorted by name, hidden files excluded. Throws Failure for a missing path or an empty
 * folder.
 */
export function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    if (isFolder === undefined) throw new Failure(EXIT.usage, `There is no file or folder ${path}.`)
    if (!isFolder) return [path]
    const names = readdirSync(path).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    if (names.length === 0) throw new Failure(EXIT.usage, `There is no .json file in ${path}.`)
    return names.toSorted().map((name) => join(path, name))
  })
}

/**
 * Reads a file. It contains `{ restaurant, menu?, link? }` as in dev/seed/restaurants, a restaurant's record, or a menu alone. A
 * menu alone is a list of categories in NAME.menu.json; its restaurant is in NAME.json or has the apiKey NAME.
 */
export function readBundle(file: string): Bundle | FileFault {
  const content = readJson(file)
  if ('pointer' in content) return content
  const { value } = content
  if (Array.isArray(value)) return bareMenu(file, value)
  if (!isObject(value)) return { file, pointer: '', detail: 'is neither a restaurant nor a menu.' }
  if (isObject(value['restaurant'])) return wholeBundle(file, value)
  if (Array.isArray(value['restaurants']))
    return { file, pointer: '/restaurants', detail: 'is a list. Save each restaurant in a file of its own.' }
  const apiKey = keyOf(value)
  if (apiKey === null) return { file, pointer: '/apiKey', detail: 'apiKey is missing.' }
  return { file, apiKey, restaurant: value, at: { restaurant: '' } }
}

function wholeBundle(file: string, value: Record<string, unknown>): Bundle | FileFault {
  const apiKey = keyOf(value['restaurant'])
  if (apiKey === null) return { file, pointer: '/restaurant/apiKey', detail: 'apiKey is missing.' }
  const { restaurant, menu, link } = value
  const at = { restaurant: '/restaurant', menu: '/menu', link: '/link' }
  return { file, apiKey, restaurant, menu, link, at }
}

const MENU = /^(?:(.+)\.)?menu\.json$/

function bareMenu(file: string, menu: unknown[]): Bundle | FileFault {
  const name = MENU.exec(basename(file))
  if (!name)
    return {
      file,
      pointer: '',
      detail: 'is a list. A menu must be in a file NAME.menu.json, and each restaurant in a file of its own.',
    }
  const [, of = 'restaurant'] = name
  const sibling = join(dirname(file), `${of}.json`)
  const content = existsSync(sibling) ? readJson(sibling) : null
  const record = content && 'value' in content && isObject(content.value) ? content.value : null
  const apiKey = record ? (keyOf(record['restaurant']) ?? keyOf(record)) : of
  if (apiKey === null) return { file, pointer: '', detail: `${sibling} has no apiKey.` }
  return { file, apiKey, menu, at: { menu: '' } }
}

function readJson(file: string): { value: unknown } | FileFault {
  try {
    // Editors on Windows begin a file with a byte order mark, which JSON.parse rejects.
    return { value: JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) }
  } catch (error) {
    return { file, pointer: '', detail: `cannot be read as JSON: ${(error as Error).message}` }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function keyOf(record: unknown): string | null {
  const apiKey = isObject(record) ? record['apiKey'] : undefined
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : null
}
