import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/* Imports no package: the build of an image runs it before the installation. */

const root = join(import.meta.dirname, '../..')

type Versions = Readonly<Record<string, string>>

/** An entry of package-lock.json: a package, a workspace, or a link to one. */
export type Locked = {
  readonly version?: string
  readonly license?: string
  /** For a link, the folder. */
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}

/** The entries by path: `services/orders`, `node_modules/zod`. */
export const readLockfile = (): Readonly<Record<string, Locked>> =>
  (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> })
    .packages

/** Returns `@scope/name` for `…/node_modules/@scope/name`. */
export const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '')

/** Returns the parent folder in Node's resolution, which skips `node_modules` itself. */
function above(path: string): string {
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  return parent.endsWith('node_modules') ? parent.replace(/\/?node_modules$/, '') : parent
}

/** Returns the path that `name` resolves to from `path`. */
function find(locked: Readonly<Record<string, Locked>>, path: string, name: string): string | undefined {
  for (let at = path; ; at = above(at)) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (locked[place]) return place
    if (at === '') return undefined
  }
}

/** Returns the dependencies that npm installs with a package: with peers, without optional ones. */
const wantedBy = ({ dependencies, peerDependencies, peerDependenciesMeta }: Locked): string[] => [
  ...Object.keys(dependencies ?? {}),
  ...Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
]

/**
 * Returns the paths of the packages that `npm ci --omit=dev --omit=optional` installs for these paths (workspaces, or
 * `node_modules/…`). Workspaces are traversed but not returned.
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
