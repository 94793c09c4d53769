import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addedValues, installationFaults } from '../../dev/compose/installation.ts'
import { brokerServices } from '../../dev/servers/rabbitmq-users.ts'
import { productionComposeFile, readComposeFile } from '../../dev/servers/compose-file.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { environmentFaults } from '../deploy/environment.ts'

/* Parses docker-compose.production.yml like Compose. tests/go-live starts it. */

// Not one word, because that would look like a committed secret.
const random = randomBytes(12).toString('hex')
const answers = {
  DOMAIN: 'orders.bistro-aurora.com',
  TLS: 'acme',
  TLS_EMAIL: 'maria@bistro-aurora.com',
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: `sk_live_${random}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${random}`,
}
const values = { ...answers, ...addedValues(answers).added }
const services = readComposeFile(values, productionComposeFile)
const all = Object.entries(services)
const running = all.filter(([, { restart }]) => restart !== undefined)
const text = readFileSync(productionComposeFile, 'utf8')
const configuration = readFileSync(join(productionComposeFile, '../docs/configuration.md'), 'utf8')
const environmentOf = (name: string, variables: Record<string, string> = values) =>
  readComposeFile(variables, productionComposeFile)[name]?.environment ?? {}

test('set-up writes every value that the job secrets requires', () => {
  expect(installationFaults(values)).toEqual([])
})

test.each(serviceNames)('%s starts in production with the variables of set-up', async (name) => {
  expect(await environmentFaults(name, environmentOf(name))).toEqual([])
  expect(environmentOf(name)['NODE_ENV']).toBe('production')
})

/** The image or the file sets the first two lines; the others are for the development processor and for tests. */
const FIXED = new Set(
  `HOST PORT NODE_ENV TLS_DIRECTORY TRUSTED_PROXIES DEFAULT_RESTAURANT_LINK STRIPE_RETURN_URL
  CATALOG_URL ACCOUNTS_URL ORDERS_URL PAYMENTS_URL DATABASE_URL AMQP_URL REDIS_URL
  PROCESSOR_URL PROCESSOR_PUBLIC_URL PROCESSOR_WEBHOOK_SECRET STRIPE_URL`.split(/\s+/),
)

test.each(serviceNames)('%s receives each of its documented settings that .env has', (name) => {
  const documented = [...configuration.matchAll(/^\| `(\w+)` \| ([\w, ]+) \|/gm)].flatMap(
    ([, variable = '', readers = '']) =>
      readers === 'all' || readers.split(', ').includes(name) ? [variable] : [],
  )
  const settings = documented.filter((one) => !FIXED.has(one))
  expect(settings.length).toBeGreaterThan(8)
  const given = Object.fromEntries(settings.map((one) => [one, 'of .env']))
  const environment = environmentOf(name, { ...values, ...given })
  expect(settings.filter((one) => environment[one] !== 'of .env')).toEqual([])
})

test('a platform for cash only needs no secret of a processor', async () => {
  const { STRIPE_SECRET_KEY: _, STRIPE_WEBHOOK_SECRET: __, ...rest } = values
  expect(
    await environmentFaults('payments', environmentOf('payments', { ...rest, PROCESSOR: 'none' })),
  ).toEqual([])
})

test('the file has no seed, no simulated restaurant and no development processor', () => {
  expect(all.map(([name]) => name)).not.toEqual(expect.arrayContaining(['seed', 'simulators', 'processor']))
  expect(text).not.toMatch(/dev\/(seed|simulators|processor)|seed\.ts|PROCESSOR_URL|whsec_/)
  expect(environmentOf('orders')['DEFAULT_RESTAURANT_LINK']).toBe('console')
})

test('no secret has a default', () => {
  const names = [...text.matchAll(/\$\{(\w+):-([^$}]+)\}/g)].map(([, name = '']) => name)
  expect(names.filter((name) => /SECRET|PASSWORD|PEPPER|KEY|PASSPHRASE/.test(name))).toEqual([])
})

test('only Caddy publishes ports', () => {
  const published = all.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)
  expect(published).toEqual(['caddy'])
  expect(services['caddy']?.ports).toEqual(['80:80', '443:443', '443:443/udp'])
})

test('the gateway trusts the network of Caddy, and only both and the command-line tool are in it', () => {
  const members = all
    .filter(([, { networks }]) => JSON.stringify(networks ?? '').includes('edge'))
    .map(([name]) => name)
  // The operator's tool runs for seconds, and calls Caddy.
  expect(members).toEqual(['caddy', 'gateway', 'platter'])
  const subnet = environmentOf('gateway')['TRUSTED_PROXIES'] ?? ''
  expect(text).toContain(`subnet: '\${EDGE_NETWORK:-${subnet}}'`)
})

test.each(brokerServices)('%s has a user of its own at RabbitMQ and at PostgreSQL', (name) => {
  const { AMQP_URL = '', DATABASE_URL = '' } = environmentOf(name)
  for (const url of [AMQP_URL, DATABASE_URL]) expect(new URL(url).username).toBe(name)
})

describe('external servers', () => {
  const external = {
    ...answers,
    EXTERNAL_POSTGRES_URL:
      'postgres://admin:9b1f60c2d7e35a84@db.bistro-aurora.com:5432/platter?sslmode=verify-full',
    EXTERNAL_RABBITMQ_URL: 'amqps://platter:9b1f60c2d7e35a84@mq.bistro-aurora.com',
    EXTERNAL_REDIS_URL: 'rediss://:9b1f60c2d7e35a84@redis.bistro-aurora.com:6379',
  }
  const elsewhere = { ...external, ...addedValues(external).added }

  test.each(serviceNames)('%s uses the URLs of external servers, with their TLS mode', async (name) => {
    const environment = environmentOf(name, elsewhere)
    expect(await environmentFaults(name, environment)).toEqual([])
    if (name === 'gateway') return
    const url = new URL(environment['DATABASE_URL'] ?? '')
    expect({ user: url.username, host: url.host, ssl: url.searchParams.get('sslmode') }).toEqual({
      user: name,
      host: 'db.bistro-aurora.com:5432',
      ssl: 'verify-full',
    })
    expect(environment['AMQP_URL']).toBe(external.EXTERNAL_RABBITMQ_URL)
  })

  test('the servers of Compose do not start beside external ones', () => {
    expect(elsewhere).toMatchObject({ COMPOSE_PROFILES: '' })
    expect(installationFaults(elsewhere)).toEqual([])
    for (const name of ['postgres', 'rabbitmq', 'redis'])
      expect(services[name]).toMatchObject({ profiles: [name] })
  })
})

test('a service without a profile depends on each job, because `up --wait` would fail otherwise', () => {
  const always = Object.entries(services).filter(([, { profiles }]) => profiles === undefined)
  const awaited = new Set(always.flatMap(([, service]) => Object.keys(service['depends_on'] ?? {})))
  const jobs = always.filter(([, service]) => service['restart'] === undefined).map(([name]) => name)
  expect(jobs.toSorted()).toEqual(['prepare', 'secrets'])
  expect(jobs.filter((name) => !awaited.has(name))).toEqual([])
})

describe('certificate authority of the operator', () => {
  const own = {
    ...answers,
    ACME_DIRECTORY: 'https://ca.bistro-aurora.com/acme/directory',
    CA_FILE: './ca.pem',
  }
  const withOwn = readComposeFile({ ...own, ...addedValues(own).added }, productionComposeFile)

  test('Caddy uses its ACME directory; otherwise a public directory, or its own authority', () => {
    const caddyfile = readFileSync(join(productionComposeFile, '../deploy/compose/Caddyfile'), 'utf8')
    const environments: Record<string, string>[] = [own, answers, { ...answers, TLS: 'internal' }]
    const names = environments.map((variables) => environmentOf('caddy', variables)['TLS'])
    expect(names).toEqual(['acme-directory', 'acme', 'internal'])
    for (const name of names) expect(caddyfile).toContain(`(tls-${name}) {`)
  })

  test.each([...serviceNames, 'caddy', 'prepare', 'platter'])(
    '%s trusts the authority, and needs no file without one',
    (name) => {
      const mountOf = (of: typeof services) =>
        ((of[name]?.['volumes'] ?? []) as unknown[]).find(
          (one): one is { source: string; target: string } => typeof one === 'object',
        )
      expect(mountOf(withOwn)).toMatchObject({ source: './ca.pem', target: '/etc/platter/ca.pem' })
      expect(mountOf(services)).toMatchObject({ source: '/dev/null' })
      expect(withOwn[name]?.environment?.['SSL_CERT_DIR']).toBe('/etc/platter')
    },
  )
})

test('Caddy mounts the folder of its Caddyfile, because a mounted file is stale after git pull', () => {
  expect(services['caddy']?.['volumes']).toContain('./deploy/compose:/etc/caddy:ro')
})

test('no server stores a password before the job secrets has checked .env', () => {
  const waitsFor = (name: string): string[] =>
    Object.keys(services[name]?.['depends_on'] ?? {}).flatMap((one) => [one, ...waitsFor(one)])
  const others = running.map(([name]) => name).filter((name) => name !== 'secrets')
  expect(others.filter((name) => !waitsFor(name).includes('secrets'))).toEqual([])
})

test.each(running)('%s restarts after a reboot, has a memory limit, and rotates its log', (_, service) => {
  expect(service).toMatchObject({
    restart: 'unless-stopped',
    mem_limit: expect.any(String) as string,
    security_opt: ['no-new-privileges:true'],
    ulimits: { core: 0 },
    logging: { options: { 'max-size': '10m', 'max-file': '5' } },
  })
})

test.each(running)('the health check of %s has a timeout for a busy machine', (_, service) => {
  const { interval, timeout } = service['healthcheck'] as { interval: string; timeout: string }
  expect(Number.parseInt(timeout, 10)).toBeGreaterThanOrEqual(15)
  expect(Number.parseInt(interval, 10)).toBeGreaterThanOrEqual(10)
})

test('Caddy limits what the gateway limits, buffers no event, and logs no access key', () => {
  const caddyfile = readFileSync(join(productionComposeFile, '../deploy/compose/Caddyfile'), 'utf8')
  for (const line of [
    'flush_interval -1',
    'max_size 5MB',
    'request>headers delete',
    'response_header_timeout 15s',
  ])
    expect(caddyfile).toContain(line)
  expect(caddyfile).not.toContain('trusted_proxies')
})

test('a restart of Caddy does not wait for event streams, which stay open until Docker kills Caddy', () => {
  const caddyfile = readFileSync(join(productionComposeFile, '../deploy/compose/Caddyfile'), 'utf8')
  expect(Number(/^\tgrace_period (\d+)s$/m.exec(caddyfile)?.[1])).toBeLessThan(5)
})

test('an upgrade changes each service on its own, and the gateway last', () => {
  const script = readFileSync(join(productionComposeFile, '../deploy/compose/upgrade.sh'), 'utf8')
  const [, names = ''] = /^for service in (.*); do$/m.exec(script) ?? []
  expect(names.split(' ').toSorted()).toEqual([...serviceNames].toSorted())
  expect(names.endsWith(' gateway')).toBe(true)
  const [, anchor = ''] = /docs\/operations\.md, "([^"]+)"\.$/m.exec(script) ?? []
  expect(readFileSync(join(productionComposeFile, '../docs/operations.md'), 'utf8')).toContain(
    `\n### ${anchor}\n`,
  )
})
