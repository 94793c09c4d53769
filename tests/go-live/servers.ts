import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '../../dev/process/ports.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { makeCertificates } from '../topology/certificates.ts'
import { imageOf, stripeOverlay } from './overlay.ts'

const HOST = 'elsewhere.lan'
const execute = promisify(execFile)
/** Runs docker with the words of a command and further arguments. */
const docker = async (command: string, ...further: readonly string[]): Promise<string> =>
  (await execute('docker', [...words(command), ...further], { maxBuffer: 16 * 1024 * 1024 })).stdout
const words = (text: string): string[] => text.split(/\s+/)
const linesOf = (output: string): string[] => output.trim().split('\n')

export type OwnServers = Awaited<ReturnType<typeof startServers>>

/**
 * PostgreSQL, RabbitMQ and Redis in containers outside of the Compose project, as on another machine. The platform reaches them
 * over ports of this machine, only with TLS, and with certificates of a separate authority. `folder` receives the certificates.
 */
export async function startServers(folder: string) {
  mkdirSync(folder, { recursive: true })
  const { ca } = makeCertificates(folder, `DNS:${HOST}`)
  const password = randomBytes(16).toString('hex')
  const ports = await freePorts(3)
  const [postgres = 0, rabbitmq = 0, redis = 0] = ports
  writeFileSync(join(folder, 'pg_hba.conf'), 'local all all trust\nhostssl all all all scram-sha-256\n')
  writeFileSync(
    join(folder, 'rabbitmq.conf'),
    `listeners.tcp = none
listeners.ssl.default = 5671
ssl_options.cacertfile = /tls/ca.crt
ssl_options.certfile = /tls/tls.crt
ssl_options.keyfile = /tls/tls.key
default_user = platter
default_pass = ${password}
`,
  )
  // Each server reads its key as a different user.
  for (const name of ['tls.key', 'tls.crt', 'ca.crt', 'pg_hba.conf', 'rabbitmq.conf'])
    chmodSync(join(folder, name), 0o644)
  const suffix = randomBytes(3).toString('hex')
  const names = ['postgres', 'rabbitmq', 'redis'].map((name) => `platter-elsewhere-${name}-${suffix}`)
  const [database = '', broker = '', cache = ''] = names
  const start = (name: string, port: string, ...rest: readonly string[]) =>
    docker(`run -d --name ${name} -p ${port} -v`, `${folder}:/tls:ro`, ...rest)
  // PostgreSQL rejects a key that others may read.
  const server =
    words(`install -o postgres -m 600 /tls/tls.key /tmp/tls.key && exec docker-entrypoint.sh postgres -c ssl=on
    -c ssl_cert_file=/tls/tls.crt -c ssl_key_file=/tmp/tls.key -c hba_file=/tls/pg_hba.conf -c max_connections=200`).join(
      ' ',
    )
  const settings = `-e POSTGRES_PASSWORD=${password} -e POSTGRES_DB=platter --entrypoint sh`
  const tls = `redis-server --port 0 --tls-port 6379 --tls-auth-clients no
    --tls-cert-file /tls/tls.crt --tls-key-file /tls/tls.key --tls-ca-cert-file /tls/ca.crt`
  await Promise.all([
    start(database, `${postgres}:5432`, ...words(settings), imageOf('postgres'), '-c', server),
    start(broker, `${rabbitmq}:5671`, '-e', 'RABBITMQ_CONFIG_FILE=/tls/rabbitmq.conf', imageOf('rabbitmq')),
    start(cache, `${redis}:6379`, imageOf('redis'), ...words(tls), '--requirepass', password),
  ])
  return {
    answers: {
      TLS: 'internal',
      CA_FILE: ca,
      EXTERNAL_POSTGRES_URL: `postgres://postgres:${password}@${HOST}:${postgres}/platter?sslmode=verify-full`,
      EXTERNAL_RABBITMQ_URL: `amqps://platter:${password}@${HOST}:${rabbitmq}`,
      EXTERNAL_REDIS_URL: `rediss://:${password}@${HOST}:${redis}`,
    },
    /** Every container resolves the names of the servers, and payments also the test server of Stripe. */
    overlay: (stripePort: number): string =>
      [...serviceNames, 'prepare', 'platter', 'backup']
        .map((name) =>
          name === 'payments'
            ? stripeOverlay(stripePort, `'${HOST}:host-gateway'`)
            : `  ${name}:\n    extra_hosts: ['${HOST}:host-gateway']\n`,
        )
        .join(''),
    /** Runs SQL as a superuser of the database. Returns the rows without a header. */
    sql: (text: string, name = 'platter') =>
      docker(`exec ${database} psql -U postgres -v ON_ERROR_STOP=1 -AtX -d ${name} -c`, text),
    /** Returns for each connection to RabbitMQ whether it uses TLS. */
    brokerConnections: async () =>
      linesOf(await docker(`exec ${broker} rabbitmqctl --quiet --no-table-headers list_connections ssl`)),
    cacheClients: async () =>
      linesOf(
        await docker(`exec -e REDISCLI_AUTH=${password} ${cache} redis-cli --tls --insecure client list`),
      ).length - 1,
    stop: () => docker('rm --force --volumes', ...names),
  }
}
