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

/** Returns the folders of this repository with a package.json. */
export const workspaces = (): string[] => [
  '.',
  ...globSync(manifestOf('.').workspaces ?? [], { cwd: root }).toSorted(),
]

/** Returns all third-party packages in the package.json files of this repository. */
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

/** The programs in production, and their folders. */
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

/** Returns the bytes of a folder's files, without its node_modules. */
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
    '## Production packages',
    '',
    'Each with its own dependencies. Sizes are unpacked; the console is sent to browsers as a bundle.',
    '',
    '| process | packages | size |',
    '| --- | --- | --- |',
    ...Object.entries(processes).map(([name, folders]) => {
      const packages = packagesFor(folders)
      return `| ${name} | ${packages.size} | ${sizeOf(packages)} |`
    }),
    '',
    '| package | version | used by | packages | size | licence | purpose |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...runs.map((uses) => row(uses, sizeOf)),
    '',
    '## Development and test packages',
    '',
    'These are in no image. Their sizes differ between platforms and are left out.',
    '',
    '| package | version | used by | packages | licence | purpose |',
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
  '## Rules and their tests',
  '',
  '- **Exact versions and a lockfile** with the SHA-512 of each package, from the public registry or the configured one:',
  '  `tests/policy/lockfile.test.ts`.',
  '- **No install script runs.** `npm start`, `npm test` and the Dockerfile install without scripts. From npm 11.16 on, `npm install`',
  '  rejects a package whose script `allowScripts` in package.json does not list: `tests/policy/install-scripts.test.ts`.',
  '- **Each package has a reason** in `dev/packages/reasons.ts`, a permitted licence, and a use in the folder that names it.',
  '  The number of packages stays within a budget: `tests/policy/dependencies.test.ts`.',
  '- **No secret is committed**: `tests/policy/committed-secrets.test.ts`.',
  '',
  'To add a package, run `npm install --save-exact --min-release-age=7 --workspace FOLDER PACKAGE`. Most malicious versions are found',
  'within days. Add its reason to `dev/packages/reasons.ts`, run `npm run docs`, and raise the budget.',
  'The age is not set in `.npmrc`, because npm would then apply it to every `npm ci`.',
  '',
  '## Checks of each build',
  '',
  '```sh',
  'npm run audit   # known vulnerabilities of production packages, then signatures of the registry; needs the network',
  'npm run sbom    # packages of each image, CycloneDX, to .run/sbom; keep it with the build',
  '```',
  '',
  '`npm run audit` queries the registry and Sigstore. It is no part of `npm test`, because its result changes without a change here. Run it in',
  'CI on each build and once a day. `npm audit` fails from severity _high_ on; signatures need npm 11.17 or later.',
  'Each image has its document at `/app/sbom.cdx.json`. Use `docker buildx build --sbom=true` for its Debian packages.',
  '',
]
