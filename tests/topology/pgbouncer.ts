import { mkdirSync, writeFileSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import { isPortOpen } from '../../dev/servers/readiness.ts'
import { nobody } from '../../dev/servers/postgres-place.ts'
import { ensureProgram } from '../../dev/servers/programs.ts'
import type { ServerContext } from '../../dev/servers/types.ts'
import { copyFor, type Certificates } from './certificates.ts'

/** The number of sessions that PgBouncer has for each role. A service has more connections than that. */
export const SESSIONS = 3

/** Starts PgBouncer in transaction mode in front of the databases of these URLs, with TLS on both sides. Returns its port. */
export async function startPgbouncer(
  urls: readonly string[],
  { ca, certificate, key }: Certificates,
  context: ServerContext,
): Promise<number> {
  // Never skips the test, because it is the only evidence that Platter works behind PgBouncer.
  const program = await ensureProgram('pgbouncer', 'pgbouncer', context)
  const folder = join(context.directory, 'pgbouncer')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const user = process.getuid?.() === 0 ? nobody : undefined
  const file = (name: string) => join(folder, name)
  for (const [name, from] of Object.entries({ 'ca.crt': ca, 'tls.crt': certificate, 'tls.key': key }))
    copyFor(user ?? process.getuid?.() ?? 0, from, file(name))
  const port = await freePort()
  const places = urls.map((url) => new URL(url))
  const lines = [
    '[databases]',
    ...places.map(
      (one) => `${one.username} = host=127.0.0.1 port=${one.port} dbname=${one.pathname.slice(1)}`,
    ),
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    `default_pool_size = ${SESSIONS}`,
    'auth_type = scram-sha-256',
    `auth_file = ${file('users')}`,
    'client_tls_sslmode = require',
    `client_tls_cert_file = ${file('tls.crt')}`,
    `client_tls_key_file = ${file('tls.key')}`,
    'server_tls_sslmode = verify-full',
    `server_tls_ca_file = ${file('ca.crt')}`,
  ]
  writeFileSync(file('pgbouncer.ini'), `${lines.join('\n')}\n`)
  writeFileSync(file('users'), places.map((one) => `"${one.username}" "${one.password}"\n`).join(''))
  context.host.spawn({
    name: 'pgbouncer',
    command: program,
    args: [file('pgbouncer.ini')],
    env: { PATH: process.env['PATH'] },
    cwd: folder,
    log: join(context.host.logs, 'pgbouncer.log'),
    ...(user !== undefined && { user }),
    stopSignal: 'SIGINT',
  })
  await until(() => isPortOpen('127.0.0.1', port), { what: 'Waiting for PgBouncer', withinMs: 10_000 })
  return port
}
