/* Not TypeScript, since no Node before 24 could run it, so these have no types to go by. */
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call */
/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return */
/**
 * Runs before every npm script that needs the packages, on whatever Node there is (18 or later): installs what
 * package-lock.json names, and sees to it that node_modules/.bin/node is a Node 24 that runs here, because npm
 * puts that folder first on PATH. Does nothing, in about 40 ms, when both are in order.
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
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false })
  return !installed || installed.mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs
}

function install() {
  console.log('Installing the npm packages of package-lock.json (about half a minute) ...')
  const npm = process.env['npm_execpath']
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []]
  // `error`, else dozens of packages that want a newer Node than the one npm runs on just now are warned about.
  // NODE_ENV=production or a setting of the user's would leave out what the tests and the pinned Node need.
  // No package's install script is needed, and npm before 11.16 would run them all.
  const flags = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, error } = spawnSync(command, [...first, ...flags, '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) fail(`npm ci did not succeed${error ? ` (${error.message})` : ''}: see above.`)
}

/** npm up to 11.0 does not make the link when it leaves out the packages of other platforms. */
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
  // Left in place, a program that does not run would keep the next attempt from starting at all.
  rmSync(link, { force: true })
  fail(
    `Platter needs Node.js ${neededMajor} or later, and npm has none that runs on ${process.platform} ` +
      `${process.arch}: install it from https://nodejs.org, then run the same command again.`,
  )
}

/** This process runs on it, which proves that it works. */
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

/** The major version of a Node; of this one for null; 0 for what does not run. */
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
