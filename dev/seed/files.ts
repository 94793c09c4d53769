import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { isObject, isText } from './json.ts'

const FOLDER = new URL('restaurants/', import.meta.url)

/** One file of restaurants/. What it holds is the gateway's to judge; only what the seed itself uses is checked. */
export type SeedFile = {
  /** From the root of the repository, as an error names it. */
  path: string
  apiKey: string
  name: string
  /** In a few words: "simulator:accepts", "webhook", "console". */
  linkName: string
  restaurant: object
  menu: object
  link: object
}

/** Every file in the order of their names, and the fingerprint of them all. */
export function readSeedFiles(): { files: SeedFile[]; fingerprint: string } {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  const hash = createHash('sha256')
  const files = names.toSorted().map((name) => {
    const content = readFileSync(new URL(name, FOLDER), 'utf8')
    hash.update(`${name}\0${content}\0`)
    return parse(`dev/seed/restaurants/${name}`, content)
  })
  return { files, fingerprint: hash.digest('hex') }
}

function parse(path: string, content: string): SeedFile {
  const { restaurant, menu, link } = parseObject(path, content)
  if (!isObject(restaurant) || !Array.isArray(menu) || !isObject(link)) {
    throw new Error(`${path}: needs a restaurant, a menu and a link`)
  }
  const { apiKey, name } = restaurant
  const { kind, behaviour } = link
  if (!isText(apiKey) || !isText(name) || !isText(kind)) {
    throw new Error(`${path}: needs restaurant.apiKey, restaurant.name and link.kind`)
  }
  const linkName = isText(behaviour) ? `${kind}:${behaviour}` : kind
  return { path, apiKey, name, linkName, restaurant, menu, link }
}

function parseObject(path: string, content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content)
    return isObject(value) ? value : {}
  } catch (error) {
    throw new Error(`${path}: is not JSON`, { cause: error })
  }
}
