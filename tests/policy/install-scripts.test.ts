import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/*
 * A package's install script runs with the rights of the user who installs it. No dependency needs such a script, and none may run.
 */

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const home = mkdtempSync(join(tmpdir(), 'platter-install-'))
const marker = join(home, 'the-script-ran')
afterAll(() => rmSync(home, { recursive: true }))

function run(command: string, args: readonly string[], cwd: string): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, encoding: 'utf8' })
}

const npmVersion = run('npm', ['--version'], home).stdout.trim()
const [major = 0, minor = 0] = npmVersion.split('.').map(Number)
const supportsAllowScripts = major > 11 || (major === 11 && minor >= 16)

/** Creates a project that depends on a package whose install script leaves a file behind. */
function project(name: string): string {
  const folder = join(home, name)
  mkdirSync(join(folder, 'dev'), { recursive: true })
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'))
  cpSync(join(root, 'dev/bootstrap.mjs'), join(folder, 'dev/bootstrap.mjs'))
  const manifest = { name, private: true, dependencies: { planted: 'file:../planted-1.0.0.tgz' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}

beforeAll(() => {
  const planted = join(home, 'planted')
  mkdirSync(planted)
  const postinstall = `node -e "require('fs').writeFileSync('${marker}', '')"`
  const manifest = { name: 'planted', version: '1.0.0', scripts: { postinstall } }
  writeFileSync(join(planted, 'package.json'), JSON.stringify(manifest))
  const { status, stderr } = run('npm', ['pack', '--pack-destination', '..'], planted)
  if (status !== 0) throw new Error(`npm pack did not succeed: ${stderr}`)
})

test.skipIf(!supportsAllowScripts)(
  `npm install (${npmVersion}) refuses a package with a script that no entry of allowScripts names`,
  () => {
    const { status, stderr } = run('npm', ['install', '--offline'], project('undecided'))
    expect(stderr).toContain('planted@1.0.0 (postinstall')
    expect(status).not.toBe(0)
    expect(existsSync(marker)).toBe(false)
  },
)

test.skipIf(!supportsAllowScripts)('the planted script runs when npm allows all scripts', () => {
  const args = ['install', '--offline', '--dangerously-allow-all-scripts']
  expect(run('npm', args, project('all-allowed')).status).toBe(0)
  expect(existsSync(marker)).toBe(true)
  rmSync(marker)
})

test('dev/bootstrap.mjs installs a fresh clone without running an install script', () => {
  const folder = project('clone')
  const lock = ['install', '--package-lock-only', '--ignore-scripts', '--offline']
  expect(run('npm', lock, folder).status).toBe(0)
  const { status, stderr } = run(process.execPath, ['dev/bootstrap.mjs'], folder)
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(existsSync(join(folder, 'node_modules/planted/package.json'))).toBe(true)
  expect(existsSync(marker)).toBe(false)
})

test('allowScripts names every package with an install script, and allows none', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''))
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> }
  expect(names.length).toBeGreaterThan(0)
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(names)].toSorted())
  expect(Object.values(allowScripts)).not.toContain(true)
})

test('the Dockerfile installs packages from the lockfile only', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
  const installs = lines.filter((line) => /\b(npm|npx|yarn|pnpm|apt|apt-get|apk|curl|wget)\b/.test(line))
  const allowed = /\bnpm (ci --workspace \S+ .*--ignore-scripts|run build|sbom)\b|\brm -rf\b/
  expect(installs.length).toBeGreaterThan(2)
  expect(installs.filter((line) => !allowed.test(line))).toEqual([])
  expect(lines.filter((line) => /^ADD\b/.test(line))).toEqual([])
})
