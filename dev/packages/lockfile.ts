import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/* Needs no package: an image's build runs it before there are any. */

const root = join(import.meta.dirname, '../..')

type Versions = Readonly<Record<string, string>>

/** An entry of package-lock.json: a package, a folder of ours, or a link to one. */
export type Locked = {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  /** Where a tarball came from; of a link, the folder. */
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}

/** The entries by path: `services/orders`, `node_modules/zod`. */
export const readLockfile = (): Readonly<Record<string, Locked>> =>
  (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> })
    .packages

/** `@scope/name` of `…/node_modules/@scope/name`. */
export const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '')

/** The folder above, as Node's resolution goes up: `node_modules` itself is none. */
function above(path: string): string {
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  return parent.endsWith('node_modules') ? parent.replace(/\/?node_modules$/, '') : parent
}

/** Where `name` is found from `path`. */
function find(locked: Readonly<Record<string, Locked>>, path: string, name: string): string | undefined {
  for (let at = path; ; at = above(at)) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (locked[place]) return place
    if (at === '') return undefined
  }
}

/** What npm installs for a package besides itself: peers as well, nothing that is optional. */
const wantedBy = ({ dependencies, peerDependencies, peerDependenciesMeta }: Locked): string[] => [
  ...Object.keys(dependencies ?? {}),
  ...Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
]

/**
 * The packages that `npm ci --omit=dev --omit=optional` installs for these paths (folders of ours, or
 * `node_modules/…`), each by its path; folders of ours are gone through and not named.
 */
export function packagesFor(
  paths: readonly string[],
  locked: Readonly<Record<string, Locked>> = readLockfile(),
): ReadonlyMap<string, Locked> {
  const found = new Map<string, Locked>()
  const been = new Set<string>()
  const go = (path: string): void => {
    const entry = locked[path]
    if (!entry || been.has(path)) return
    been.add(path)
    if (entry.link) return go(entry.resolved ?? '')
    if (path.includes('node_modules/')) found.set(path, entry)
    for (const name of wantedBy(entry)) go(find(locked, path, name) ?? '')
  }
  for (const path of paths) go(path)
  return found
}

/** Where a folder of ours finds a package that it names. Throws when it is not in the lockfile. */
export function placeOf(folder: string, name: string): string {
  const place = find(readLockfile(), folder === '.' ? '' : folder, name)
  if (place === undefined) throw new Error(`${name} of ${folder} is not in package-lock.json`)
  return place
}
