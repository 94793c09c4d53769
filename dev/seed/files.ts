import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { behaviours, simulatorLink } from '../simulators/src/link.ts'
import { isObject, isText } from './json.ts'

const FOLDER = new URL('restaurants/', import.meta.url)

/** A file of restaurants/. Only the fields that the seed uses are checked here; the gateway validates the others. */
export type SeedFile = {
  /** Relative to the root of the repository, for error messages. */
  path: string
  apiKey: string
  name: string
  /** For example "simulator:accepts", "webhook", "console". */
  linkName: string
  restaurant: object
  menu: object
  /** The body of put-restaurant-link. */
  link: object
}

/**
 * Returns all files by name, and the fingerprint of all of them. A `simulator` instead of a `link` becomes the webhook of its
 * behaviour at `simulators`, a base URL.
 */
export function readSeedFiles(simulators: string): { files: SeedFile[]; fingerprint: string } {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  const hash = createHash('sha256').update(`${simulators}\0`)
  const files = names.toSorted().map((name) => {
    const content = readFileSync(new URL(name, FOLDER), 'utf8')
    hash.update(`${name}\0${content}\0`)
    return parse(`dev/seed/restaurants/${name}`, content, simulators)
  })
  return { files, fingerprint: hash.digest('hex') }
}

function parse(path: string, content: string, simulators: string): SeedFile {
  const { restaurant, menu, link, simulator } = parseObject(path, content)
  if (!isObject(restaurant) || !Array.isArray(menu)) throw new Error(`${path}: needs a restaurant and a menu`)
  const { apiKey, name } = restaurant
  if (!isText(apiKey) || !isText(name))
    throw new Error(`${path}: needs restaurant.apiKey and restaurant.name`)
  const linked = isObject(simulator) ? simulated(path, simulator, simulators) : linkedBy(path, link)
  return { path, apiKey, name, restaurant, menu, ...linked }
}

function linkedBy(path: string, link: unknown): Pick<SeedFile, 'linkName' | 'link'> {
  if (!isObject(link) || !isText(link['kind']))
    throw new Error(`${path}: needs a simulator, or a link with a kind`)
  return { linkName: link['kind'], link }
}

function simulated(
  path: string,
  { behaviour, reports }: Record<string, unknown>,
  simulators: string,
): Pick<SeedFile, 'linkName' | 'link'> {
  const known = behaviours.find((one) => one === behaviour)
  if (!known) throw new Error(`${path}: needs a simulator.behaviour that is one of ${behaviours.join(', ')}`)
  const link = simulatorLink(simulators, known, reports === 'coarse' ? 'coarse' : 'detailed')
  return { linkName: `simulator:${known}`, link }
}

function parseObject(path: string, content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content)
    return isObject(value) ? value : {}
  } catch (error) {
    throw new Error(`${path}: is not JSON`, { cause: error })
  }
}
