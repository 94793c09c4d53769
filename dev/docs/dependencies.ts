import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packagesFor, placeOf, readLockfile, type Locked } from '../packages/lockfile.ts'
import { reasons } from '../packages/reasons.ts'

const root = join(import.meta.dirname, '../..')

type Kind = 'dependencies' | 'devDependencies' | 'optionalDependencies'
type Manifest = { workspaces?: string[] } & Partial<Record<Kind, Record<string, string>>>
export type Direct = { name: string; version: string; folder: string; kind: Kind }

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

/** The folders that have a package.json of ours. */
export const workspaces = (): string[] => [
  '.',
  ...globSync(manifestOf('.').workspaces ?? [], { cwd: root }).toSorted(),
]

/** Every package of others that a package.json of ours names. */
export function directDependencies(): Direct[] {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
  return workspaces().flatMap((folder) =>
    kinds.flatMap((kind) =>
      Object.entries(manifestOf(folder)[kind] ?? {})
        .filter(([name]) => !name.startsWith('@platter/'))
        .map(([name, version]) => ({ name, version, folder, kind })),
    ),
  )
}

/** What runs in production, and the folders that it is made of. */
export const processes: Readonly<Record<string, readonly string[]>> = {
  gateway: ['services/gateway'],
  catalog: ['services/catalog'],
  accounts: ['services/accounts'],
  orders: ['services/orders'],
  payments: ['services/payments'],
  'one-off jobs': ['packages/kit'],
  'command-line tool': ['apps/cli'],
  console: ['apps/console'],
}

/** Bytes of a folder's files, without packages that lie in it. */
function bytesIn(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    if (entry.name === 'node_modules') return 0
    const path = join(folder, entry.name)
    return entry.isDirectory() ? bytesIn(path) : statSync(path).size
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

function sizeOf(packages: ReadonlyMap<string, Locked>): string {
  const sizes = [...packages.keys()].map((path) => bytesIn(join(root, path)))
  return `${(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)} MB`
}

export function dependencyPage(): string[] {
  const all = Map.groupBy(directDependencies(), ({ name, version }) => `${name} ${version}`)
  const rows = [...all.values()].toSorted((a, b) => (a[0]?.name ?? '').localeCompare(b[0]?.name ?? ''))
  const inProduction = rows.filter((uses) => uses.some(({ kind }) => kind === 'dependencies'))
  const runs = inProduction.filter((uses) => uses.some(({ folder }) => folder !== 'packages/testkit'))
  const others = rows.filter((uses) => !inProduction.includes(uses))
  return [
    ...introduction,
    '## What runs',
    '',
    'With everything that they bring along; sizes are unpacked, and nobody sends them over a wire: the console is bundled.',
    '',
    '| process | packages | size |',
    '| --- | --- | --- |',
    ...Object.entries(processes).map(([name, folders]) => {
      const packages = packagesFor(folders)
      return `| ${name} | ${packages.size} | ${sizeOf(packages)} |`
    }),
    '',
    '| package | version | used by | packages | size | licence | what for |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...runs.map((uses) => row(uses, sizeOf)),
    '',
    '## For development and tests',
    '',
    'In no image. Those with programs for one platform have no size here: it is another on each.',
    '',
    '| package | version | used by | packages | licence | what for |',
    '| --- | --- | --- | --- | --- | --- |',
    ...others.map((uses) => row(uses)),
  ]
}

function row(uses: readonly Direct[], size?: typeof sizeOf): string {
  const [{ name, version, folder } = { name: '', version: '', folder: '' }] = uses
  const place = placeOf(folder, name)
  const packages = packagesFor([place])
  const licence = readLockfile()[place]?.license ?? 'not stated'
  const users = uses.map((one) => (one.folder === '.' ? 'the root' : one.folder)).join(', ')
  const cells = [name, version, users, packages.size, ...(size ? [size(packages)] : []), licence]
  return `| ${[...cells, reasons[name] ?? ''].join(' | ')} |`
}

const introduction = [
  '## Rules, and what holds them',
  '',
  '- **Exact versions and a lockfile** whose every package has its SHA-512, from the public registry or wherever npm is configured',
  '  to ask: `tests/law/lockfile.test.ts`.',
  '- **No install script runs.** `npm start`, `npm test` and the Dockerfile install without any; with npm 11.16 or later `npm install`',
  '  refuses a package with a script that `allowScripts` in package.json has not decided on: `tests/law/install-scripts.test.ts`.',
  '- **Each package has a reason** in `dev/packages/reasons.ts`, is used by the folder that names it, has a licence that may be used',
  '  here, and brings no more than the budget allows: `tests/law/dependencies.test.ts`.',
  '- **No secret is committed**: `tests/law/committed-secrets.test.ts`.',
  '',
  'To take a new one: `npm install --save-exact --min-release-age=7 --workspace FOLDER PACKAGE` (most malicious versions are found',
  'within days), a line in `dev/packages/reasons.ts`, `npm run docs`, and the new number in the budget, which says what it costs.',
  'The age is no setting in `.npmrc`: the lockfile names no address, so npm would hold every `npm ci` to it as well.',
  '',
  '## With each build',
  '',
  '```sh',
  'npm run audit   # known vulnerabilities of what runs, then the signatures of the registry; needs the network',
  'npm run sbom    # what each image is made of, CycloneDX, to .run/sbom; keep it with the build',
  '```',
  '',
  '`npm run audit` asks the registry and Sigstore. It is no part of `npm test`, for what it finds changes without a change here: have your',
  'CI run it on each build and once a day. `npm audit` fails from severity _high_ on; signatures need npm 11.17 or later.',
  'Each image has its own document at `/app/sbom.cdx.json`. For the packages of Debian below it: `docker buildx build --sbom=true`.',
  '',
]
