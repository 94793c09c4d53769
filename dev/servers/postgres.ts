import { randomBytes } from 'node:crypto'
import { chownSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import type { ProcessSpec } from '../process/host.ts'
import { errorCode, readIfPresent, sendSignal } from '../process/identity.ts'
import { freePort } from '../process/ports.ts'
import { runToEnd } from '../process/run.ts'
import { Supervised } from '../process/supervise.ts'
import { until } from '../process/wait.ts'
import { isPostgresReady } from './readiness.ts'
import { createDatabase, hasDatabase } from './database.ts'
import { preparePlace, type PostgresPlace } from './postgres-place.ts'
import type { Server, ServerContext } from './types.ts'

const superuser = 'postgres'
const database = 'platter'

/** Set on the command line, so that a change also applies to existing data folders. */
const settings = {
  listen_addresses: '127.0.0.1',
  // TCP only: the path of a socket has at most 107 bytes, and a run directory may have a longer path.
  unix_socket_directories: '',
  max_connections: '200',
  // Limits the time for which a frozen process keeps the locks of its transaction.
  idle_in_transaction_session_timeout: '5s',
} as const

/** Starts PostgreSQL on a free port, with its data in the run directory or near it. */
export function startPostgres(context: ServerContext): Promise<Server> {
  return context.reporter.step('PostgreSQL', async (step) => {
    const place = preparePlace(context.directory)
    const passwordFile = join(context.directory, 'postgres/password')
    const known = readIfPresent(passwordFile)
    if (known !== null) await endForeign(place, context)
    const password = known ?? (await initialize(place, context, step.now))
    if (known === null) writeWhole(passwordFile, password)
    refuseOtherVersion(place)
    const port = await freePort()
    const url = `postgres://${superuser}:${password}@127.0.0.1:${port}`
    const { signal } = context
    const supervised = new Supervised(context, () => serverSpec(place, port, context))
    await supervised.ready(() => isPostgresReady(`${url}/postgres`), { withinMs: 60_000, signal })
    const admin = `${url}/postgres`
    if (!(await hasDatabase(admin, database))) await createDatabase(admin, database)
    step.result(`port ${port}`)
    return {
      kind: 'postgres',
      url: `${url}/${database}`,
      origin: 'native',
      data: place.data,
      pids: supervised.pids,
      stop: supervised.stop,
    }
  })
}

function serverSpec(place: PostgresPlace, port: number, context: ServerContext): ProcessSpec {
  const assignments = Object.entries({ ...settings, port }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ])
  return { ...program('postgres', place, context), args: ['-D', place.data, ...assignments] }
}

function program(name: string, place: PostgresPlace, context: ServerContext): Omit<ProcessSpec, 'args'> {
  return {
    name,
    command: join(place.programs, 'bin', name),
    env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' },
    cwd: place.data,
    log: join(context.host.logs, 'postgres.log'),
    ...(place.user === undefined ? {} : { user: place.user }),
    // SIGINT is the fast shutdown: it ends the sessions and writes a checkpoint.
    stopSignal: 'SIGINT',
    orphanSignal: 'SIGINT',
  }
}

// The password is written after the data are complete. Without it, the data come from an interrupted first start, or are unusable.
async function initialize(
  place: PostgresPlace,
  context: ServerContext,
  now: (text: string) => void,
): Promise<string> {
  now('creating a new database')
  for (const name of readdirSync(place.data)) rmSync(join(place.data, name), { recursive: true })
  const password = randomBytes(18).toString('base64url')
  const file = join(place.data, '..', 'initial-password')
  writeFileSync(file, password, { mode: 0o600 })
  if (place.user !== undefined) chownSync(file, place.user, place.user)
  const flags = [`--username=${superuser}`, `--pwfile=${file}`, '--auth=scram-sha-256', '--encoding=UTF8']
  // The same collation on every machine, independent of its locales.
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const args = ['-D', place.data, ...flags, ...locale, '--no-sync', '--no-instructions']
  try {
    await runToEnd(context.host, { ...program('initdb', place, context), args }, { signal: context.signal })
    return password
  } finally {
    rmSync(file)
  }
}

function refuseOtherVersion(place: PostgresPlace): void {
  const found = readIfPresent(join(place.data, 'PG_VERSION'))?.trim()
  if (found === place.major) return
  // The place of data outside of the run directory depends on its path.
  if (found === undefined)
    throw new Error(
      `${place.data} has no data, although an earlier start created them. If the folder of the project was renamed or moved, rename it back; "npm run reset" begins without the old data.`,
    )
  throw new Error(
    `${place.data} was created by PostgreSQL ${found}, this is ${place.major}: "npm run reset" deletes the old data`,
  )
}

// A server that outlived its launcher and pids.json would prevent the start of the new one. So would an unrelated process that now
// has the old process id. Every process of PostgreSQL works in the data folder, even after its postmaster was killed. The file may
// be removed only if none of them remains.
async function endForeign(place: PostgresPlace, context: ServerContext): Promise<void> {
  const file = join(place.data, 'postmaster.pid')
  const pid = Number(readIfPresent(file)?.split('\n', 1)[0] ?? 0)
  if (pid === 0) return
  const data = realpathSync(place.data)
  if (worksIn(data, pid)) sendSignal(pid, 'SIGINT')
  await until(() => !readdirSync('/proc').some((name) => worksIn(data, Number(name))), {
    what: `Stopping an earlier postgres (process ${pid})`,
    withinMs: 20_000,
    signal: context.signal,
  })
  rmSync(file, { force: true })
}

function worksIn(folder: string, pid: number): boolean {
  try {
    return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch (error) {
    // The process has ended, or belongs to another user and therefore is not this server.
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}
