import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../dev/process/ports.ts'
import { prepareDatabase, withClient } from '../../dev/servers/database.ts'
import type { Servers } from '../../dev/servers/find.ts'
import { outsidePlace } from '../../dev/servers/postgres-place.ts'
import { startPostgres } from '../../dev/servers/postgres.ts'
import { startRabbitmq } from '../../dev/servers/rabbitmq.ts'
import { startRedis } from '../../dev/servers/redis.ts'
import type { Server, ServerContext } from '../../dev/servers/types.ts'
import { loadSecrets } from '../../dev/stack/secrets.ts'
import { databaseServices } from '../../dev/stack/services.ts'
import { copyFor, type Certificates } from './certificates.ts'

type DatabaseService = (typeof databaseServices)[number]

export type Apart = Awaited<ReturnType<typeof startApart>>

/** Starts PostgreSQL with one cluster for each service, RabbitMQ and Redis. Services connect to all of them only with TLS. */
export async function startApart(certificates: Certificates, context: ServerContext) {
  // The stack prepares the cluster of orders again, with the same passwords.
  const { rolePasswords } = loadSecrets(context.directory)
  const startCluster = async (name: DatabaseService) => {
    const directory = join(context.directory, 'clusters', name)
    const server = await tlsPostgres(certificates, { ...context, directory })
    const { urls } = await prepareDatabase(server.url, [name], rolePasswords)
    const stop = async () => {
      await server.stop()
      // PostgreSQL stored these files outside of the run directory.
      rmSync(outsidePlace(directory), { recursive: true, force: true })
    }
    // `own` is the URL of the role of the service, without TLS.
    return { ...server, stop, own: urls[name] ?? '' }
  }
  const [rabbitmq, redis, ...postgres] = await Promise.all([
    tlsRabbitmq(certificates, context),
    tlsRedis(certificates, context),
    ...databaseServices.map(startCluster),
  ])
  const named = databaseServices.map((name, at) => [name, postgres[at]] as const)
  const clusters = Object.fromEntries(named) as Record<DatabaseService, (typeof postgres)[number]>
  const stop = async () => void (await Promise.all(postgres.map((server) => server.stop())))
  const servers: Servers = {
    postgres: { ...clusters.orders, stop },
    rabbitmq: rabbitmq.server,
    redis: redis.server,
  }
  return { servers, clusters, amqps: rabbitmq.urls, rediss: redis.url }
}

/** Requires TLS for every role except the superuser. */
const HBA = `host all postgres 127.0.0.1/32 scram-sha-256
hostssl all all 127.0.0.1/32 scram-sha-256
`

async function tlsPostgres({ certificate, key }: Certificates, context: ServerContext): Promise<Server> {
  mkdirSync(context.directory, { recursive: true })
  const server = await startPostgres(context)
  const data = server.data ?? ''
  const { uid } = statSync(data)
  copyFor(uid, certificate, join(data, 'server.crt'))
  copyFor(uid, key, join(data, 'server.key'))
  writeFileSync(join(data, 'pg_hba.conf'), HBA)
  await withClient(server.url, async (client) => {
    await client.query('alter system set ssl = on')
    await client.query('select pg_reload_conf()')
  })
  return server
}

async function tlsRabbitmq({ ca, certificate, key }: Certificates, context: ServerContext) {
  const port = await freePort()
  const server = await startRabbitmq(context, [
    `listeners.ssl.default = 127.0.0.1:${port}`,
    `ssl_options.cacertfile = ${ca}`,
    `ssl_options.certfile = ${certificate}`,
    `ssl_options.keyfile = ${key}`,
  ])
  const urls = Object.entries(server.urls ?? {}).map(([name, url]) => [name, secureUrl(url, port)])
  return { server, urls: Object.fromEntries(urls) as Record<string, string> }
}

async function tlsRedis({ ca, certificate, key }: Certificates, context: ServerContext) {
  const port = await freePort()
  const server = await startRedis(context, {
    'tls-port': String(port),
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': ca,
    'tls-auth-clients': 'no',
  })
  return { server, url: secureUrl(server.url, port) }
}

/** `amqp` becomes `amqps`, `redis` becomes `rediss`. */
const secureUrl = (url: string, port: number): string =>
  url.replace(/^(\w+):/, '$1s:').replace(/:\d+$/, `:${port}`)
