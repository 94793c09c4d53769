import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Dependencies = Record<string, string>
type Manifest = {
  name?: string
  workspaces?: string[]
  dependencies?: Dependencies
  devDependencies?: Dependencies
  optionalDependencies?: Dependencies
  peerDependencies?: Dependencies
  overrides?: Dependencies
}

type Entry = { link?: boolean; integrity?: string; resolved?: string }

const DEFAULT_REGISTRY = 'https://registry.npmjs.org/'
const REGISTRY = /^https:\/\/registry\.npmjs\.org\//

const root = join(import.meta.dirname, '../..')
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
const manifest = (folder: string) => read(join(folder, 'package.json')) as Manifest

const workspaces = manifest('.').workspaces ?? []
const folders = globSync(workspaces, { cwd: root })

test('npm ci finds every optional package that a lock entry names', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Manifest> }
  const locked = Object.keys(packages)
  const missing = Object.entries(packages).flatMap(([where, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`)))
      .map((name) => `${name}, required by ${where}`),
  )
  expect(locked.length).toBeGreaterThan(100)
  // The package of some platform is not in the registry: pin an older version of the package that depends on it.
  expect(missing).toEqual([])
})

test.each(['.', ...folders])('%s pins exact versions', (folder) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } =
    manifest(folder)
  const loose = Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
    ...peerDependencies,
    ...overrides,
  })
    .filter(([name]) => !name.startsWith('@platter/'))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
  expect(loose).toEqual([])
})

test('every package has its SHA-512, and comes from a registry over https', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Entry> }
  const others = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(others.length).toBeGreaterThan(100)
  const unproven = others.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
  expect(unproven.map(([path]) => path)).toEqual([])
  // An entry without an address (omit-lockfile-registry-resolved) comes from the registry in the configuration of npm.
  const elsewhere = others.filter(([, { resolved }]) => !REGISTRY.test(resolved ?? DEFAULT_REGISTRY))
  expect(elsewhere.map(([path]) => path)).toEqual([])
})

const IMPORT = /(?:from|import)\s*\(?\s*'(@platter\/[\w-]+)/g

// An image has only the packages that the manifest of its service declares.
test.each(folders)('%s declares every @platter package that it imports', (folder) => {
  const { name, dependencies, devDependencies } = manifest(folder)
  // Only tests import testkit. It imports kit and bus, so a dependency of kit or bus on testkit would be a cycle.
  const known = new Set([name, '@platter/testkit', ...Object.keys({ ...dependencies, ...devDependencies })])
  const undeclared = globSync(join(folder, '**/*.ts'), { cwd: root, exclude: ['**/node_modules'] })
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)])
    .map(([, imported = '']) => imported)
    .filter((imported) => !known.has(imported))
  expect([...new Set(undeclared)]).toEqual([])
})

test('the checked manifests include services/orders', () => {
  expect(folders).toContain('services/orders')
})
