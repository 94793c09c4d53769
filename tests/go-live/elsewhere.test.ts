import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startServers, type OwnServers } from './servers.ts'
import { addRestaurant, placeOrders } from './first-restaurant.ts'
import { check, endWorld, isKept, situation, startWorld, type World } from './world.ts'

const BUNDLED = ['postgres', 'rabbitmq', 'redis']

/** They are outside of the Compose project, and accept TLS only. */
let servers: OwnServers
let world: World

beforeAll(async () => {
  world = await startWorld('elsewhere')
  const { stripe, installation } = world
  servers = await startServers(join(installation.folder, '../servers'))
  await installation.prepare({ ...stripe.answers, ...servers.answers }, servers.overlay(stripe.port))
})

afterAll(async () => {
  await endWorld(world)
  if (!isKept) await servers.stop()
})

situation(
  'servers elsewhere, by TLS: set-up with their URLs, and a start without servers of its own',
  async ({ installation }) => {
    await installation.setUp()
    const from = performance.now()
    await installation.compose('up', '-d', '--build', '--wait')
    const root = 'cat /data/caddy/pki/authorities/local/root.crt'
    installation.authority = await installation.compose('exec', '-T', 'caddy', 'sh', '-c', root)
    const { status } = await installation.call('/health/ready')
    check(status === 200, `/health/ready is ${status}`)
    const running = (await installation.compose('ps', '--services')).trim().split('\n')
    check(running.includes('orders') && !running.some((name) => BUNDLED.includes(name)), running.join(', '))
    return `ready after ${((performance.now() - from) / 1000).toFixed(0)} s; running: ${running.join(', ')}`
  },
)

situation(
  'servers elsewhere: the first restaurant and its first orders, by encrypted sessions only',
  async (platform) => {
    await addRestaurant(platform)
    const orders = await placeOrders(platform)
    const sessions = await servers.sql(
      `select usename, bool_and(ssl) from pg_stat_activity join pg_stat_ssl using (pid)
         where usename in ('catalog', 'accounts', 'orders', 'payments') group by usename`,
    )
    check(sessions.trim().split('\n').length === 4 && !sessions.includes('|f'), `PostgreSQL: ${sessions}`)
    const broker = await servers.brokerConnections()
    check(broker.length >= 4 && broker.every((ssl) => ssl === 'true'), `RabbitMQ: ${broker.join(', ')}`)
    const clients = await servers.cacheClients()
    check(clients >= 4, `Redis has ${clients} clients`)
    return `${orders}; ${broker.length} connections to RabbitMQ and ${clients} to Redis`
  },
)

situation('servers elsewhere: an archive restores an empty database', async ({ installation }) => {
  const count = () => servers.sql('select count(*) from orders.orders')
  const before = await count()
  const backup = ['exec', '-T', 'backup', 'node', 'apps/cli/src/main.ts', 'backup']
  const [archive = ''] = (await installation.compose(...backup)).split(':')
  await installation.compose('stop', 'catalog', 'accounts', 'orders', 'payments', 'backup')
  await servers.sql('drop database platter with (force)', 'postgres')
  await servers.sql('create database platter', 'postgres')
  await installation.platter('restore', archive)
  await installation.compose('up', '-d', '--wait')
  check((await count()) === before, 'orders are missing')
  await installation.platter('reconcile', '--since', '24h')
  return `${before.trim()} orders restored`
})

situation(
  'servers elsewhere: PostgreSQL with a certificate of another authority is refused',
  async ({ installation }) => {
    const other = ['-keyout', 'other.key', '-out', 'other.pem', '-days', '2', '-subj', '/CN=Other CA']
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...other], {
      cwd: installation.folder,
      stdio: 'pipe',
    })
    const backup = ['docker', 'compose', 'run', '--rm', '-T', 'platter', 'backup']
    const { status, output } = await installation.attempt(
      'env',
      `CA_FILE=${join(installation.folder, 'other.pem')}`,
      ...backup,
    )
    check(status !== 0 && /certificate/.test(output), output.slice(-500))
    return /^.*certificate.*$/m.exec(output)?.[0].trim() ?? ''
  },
)
