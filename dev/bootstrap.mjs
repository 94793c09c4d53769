/* Not TypeScript, because Node before 24 must run it. So the rules that need types are off. */
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call */
/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return */
/**
 * Runs before every npm script that needs the packages, on the installed Node (18 or later). It installs the packages of
 * package-lock.json, and makes node_modules/.bin/node a Node 24 that runs on this machine, because npm puts that folder first on
 * PATH. If both are up to date, it takes about 40 ms.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 24
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const link = join(modules, '.bin/node')

if (installIsDue()) install()
chooseNode()

function installIsDue() {
  // `npm install` with NODE_ENV=production omits the packages for development.
  if (!existsSync(join(modules, 'vitest'))) return true
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false })
  return !installed || installed.mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs
}

function install() {
  console.log('Installing the npm packages of package-lock.json (about half a minute) ...')
  const npm = process.env['npm_execpath']
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []]
  // loglevel=error: npm would warn about dozens of packages that require a newer Node. include: NODE_ENV=production or a user's
  // setting would omit packages of the tests, and the pinned Node. ignore-scripts: no install script is needed, and npm before
  // 11.16 would run all of them.
  const flags = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, error } = spawnSync(command, [...first, ...flags, '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) fail(`npm ci failed${error ? ` (${error.message})` : ''}: see above.`)
}

/** npm up to 11.0 does not create the link if it omits the packages of other platforms. */
function chooseNode() {
  if (existsSync(link) && isThisProcess(link)) return
  const pinned = join(modules, `node-${process.platform}-${process.arch}/bin/node`)
  if (existsSync(pinned)) {
    if (!existsSync(link) || realpathSync(link) !== realpathSync(pinned))
      pointTo(relative(dirname(link), pinned))
    if (majorOf(link) >= neededMajor) return
  }
  const own = systemNode()
  if (own) {
    pointTo(own)
    return
  }
  // A link to a program that does not run would prevent the next attempt.
  rmSync(link, { force: true })
  fail(
    `Platter needs Node.js ${neededMajor} or later, and npm has none for ${process.platform} ${process.arch}. ` +
      `Install it from https://nodejs.org, then run the same command again.`,
  )
}

/** Returns whether the link leads to the program of this process, which works. */
function isThisProcess(file) {
  return realpathSync(file) === realpathSync(process.execPath) && majorOf(null) >= neededMajor
}

function systemNode() {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  const candidates = [process.execPath, ...folders.map((folder) => join(folder, 'node'))]
  return candidates.find(
    (file) => !file.startsWith(modules) && existsSync(file) && majorOf(file) >= neededMajor,
  )
}

/** Returns the major version of a Node program; null means this process; 0 for a program that does not run. */
function majorOf(file) {
  const text = file === null ? process.version : spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout
  return Number(/^v(\d+)\./.exec(text ?? '')?.[1] ?? 0)
}

function pointTo(target) {
  mkdirSync(dirname(link), { recursive: true })
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link)
  symlinkSync(target, link)
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
