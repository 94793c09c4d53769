import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { nameOf, packagesFor, readLockfile } from './lockfile.ts'

const root = join(import.meta.dirname, '../..')

/** The contents of an image in addition to the packages of its own folder. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { 'services/gateway': ['apps/console'] }

type Component = { 'bom-ref': string; name: string; hashes?: { alg: string }[] }
type Dependency = { ref: string; dependsOn: string[] }
type Sbom = {
  bomFormat: string
  specVersion: string
  metadata: { component: Component }
  components: Component[]
  dependencies: Dependency[]
}

/**
 * Returns the software bill of materials (CycloneDX) of a folder's image, as npm writes it. Development packages are removed here,
 * not by `--omit=dev`. npm 11.19 would also omit each package that another package declares as a development dependency, such as
 * undici and ajv, a quarter of all.
 */
export function sbomOf(folder: string): Sbom {
  const folders = [folder, ...(BUILT_IN[folder] ?? [])]
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
  const written = execFileSync('npm', [...args, ...folders.flatMap((one) => ['--workspace', one])], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return only(JSON.parse(written) as Sbom, folders)
}

function only(sbom: Sbom, folders: readonly string[]): Sbom {
  const locked = readLockfile()
  const packages = [...packagesFor(folders, locked)].map(
    ([path, { version }]) => `${nameOf(path)}@${version}`,
  )
  const { component } = sbom.metadata
  const isKept = new Set([component['bom-ref'], ...packages])
  const keep = ({ 'bom-ref': ref }: Component) => isKept.has(ref) || ref.startsWith('@platter/')
  const components = sbom.components.filter(keep)
  const refs = new Set([component['bom-ref'], ...components.map((one) => one['bom-ref'])])
  return {
    ...sbom,
    // npm uses the name of the folder with the lockfile.
    metadata: {
      ...sbom.metadata,
      component: { ...component, name: `platter/${folders[0]?.split('/').at(-1)}` },
    },
    components,
    dependencies: sbom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  }
}

// The build of an image: node dev/packages/sbom.ts services/orders
if (import.meta.main) console.log(JSON.stringify(sbomOf(process.argv[2] ?? ''), null, 2))
