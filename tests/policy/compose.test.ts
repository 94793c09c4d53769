import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { hashAccessKey, looksLikeAccessKey } from '@platter/kit/security/access-key'
import { serverKinds } from '../../dev/servers/types.ts'
import { composeFile, composeService, readComposeFile } from '../../dev/servers/compose-file.ts'
import { makeOwnSecrets, ownLimits, ownSecretNames } from '../../dev/compose/own-secrets.ts'
import { Config as Payments } from '../../services/payments/src/config.ts'
import { environmentFaults } from '../deploy/environment.ts'

/* A new variable of a service fails here when docker-compose.yml lacks it: no other test starts the containers. */

const root = join(import.meta.dirname, '../..')
const folders = [...globSync('services/*', { cwd: root }), 'dev/processor', 'dev/simulators']
const services = readComposeFile()
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined)

test.each(folders.map((folder) => basename(folder)))('%s accepts the variables of Compose', async (name) => {
  expect(await environmentFaults(name, composeService(name).environment ?? {})).toEqual([])
})

test.each(['prepare', 'seed'])('the job %s receives the variables that it needs', async (name) => {
  expect(await environmentFaults(name, composeService(name).environment ?? {})).toEqual([])
})

test('the job secrets receives every secret of .env, and no default secret', async () => {
  const own = makeOwnSecrets()
  expect(await environmentFaults('secrets', composeService('secrets', own).environment ?? {})).toEqual([])
  const without = composeService('secrets').environment ?? {}
  expect(Object.keys(without)).toEqual(['ENV_FILE', 'NODE_ENV'])
})

test('no container starts with a secret before the job secrets has checked .env', () => {
  const waitsFor = (name: string): string[] =>
    Object.keys(services[name]?.['depends_on'] ?? {}).flatMap((one) => [one, ...waitsFor(one)])
  // Neither stores its password: Redis has no volume, and Jaeger no secret.
  const others = Object.keys(services).filter((name) => !['secrets', 'redis', 'jaeger'].includes(name))
  expect(others.filter((name) => !waitsFor(name).includes('secrets'))).toEqual([])
})

test('ownLimits equals the limits of payments, and own secrets replace every default secret', () => {
  const { CARDS_PER_USER, DECLINES_PER_CARD, DECLINES_PER_ADDRESS, DECLINES_PER_APPLICATION } = Payments.shape
  const limits = { CARDS_PER_USER, DECLINES_PER_CARD, DECLINES_PER_ADDRESS, DECLINES_PER_APPLICATION }
  for (const [name, limit] of Object.entries(limits))
    expect(Number(ownLimits[name as keyof typeof limits])).toBe(limit.parse(undefined))
  const defaults = [...readFileSync(composeFile, 'utf8').matchAll(/\$\{(\w+):-/g)].map(
    ([, name = '']) => name,
  )
  const secret = new Set(defaults.filter((name) => /^(?!ALERT_).*(SECRET|PASSWORD|PEPPER|KEY)/.test(name)))
  expect(secret).toEqual(new Set(ownSecretNames))
})

const faultsOfPayments = (variables: Record<string, string>) =>
  environmentFaults('payments', composeService('payments', variables).environment ?? {})

test('payments accepts the variables of Stripe, and requires STRIPE_SECRET_KEY', async () => {
  const stripe = {
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  }
  expect(await faultsOfPayments({ PROCESSOR: 'stripe', ...stripe })).toEqual([])
  expect(await faultsOfPayments({ PROCESSOR: 'stripe' })).toEqual([
    expect.stringContaining('STRIPE_SECRET_KEY'),
  ])
})

test('the file uses only syntax that Compose v2 and docker-compose 1.29 support', () => {
  const text = readFileSync(composeFile, 'utf8')
  const written = parse(text, { merge: true }) as Record<string, unknown>
  const known = ['services', 'volumes']
  expect(Object.keys(written).filter((key) => !key.startsWith('x-'))).toEqual(known)
  // Both versions parse ${NAME:-default}. Only the newer one parses a default with a reference, or ${NAME:+…}.
  const references = text.match(/\$[^\s'"]*/g) ?? []
  expect(references.filter((one) => !/^\$\{\w+:-[^${}]*\}[^$]*/.test(one))).toEqual([])
  expect(JSON.stringify(written)).not.toMatch(/"(start_interval|develop|include|required)":/)
})

test.each(ours)('%s is read-only, has no capability, and has memory and process limits', (_, service) => {
  expect(service).toMatchObject({
    init: true,
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    ulimits: { core: 0 },
    mem_limit: expect.any(String) as string,
    pids_limit: expect.any(Number) as number,
  })
})

test('packages/kit/start.sh starts every process', () => {
  const commands = readFileSync(join(root, 'Dockerfile'), 'utf8').match(/^CMD .*$/gm)
  expect(commands).toEqual(['CMD ["/app/packages/kit/start.sh", "node", "src/main.ts"]'])
  const others = folders.filter((folder) => composeService(basename(folder)).command !== undefined)
  expect(others).toEqual([])
})

/** Compiles like the Dockerfile. Returns the number of cached files. */
async function compiled(folder: string, cache: string): Promise<number> {
  const command = [
    'packages/kit/start.sh',
    process.execPath,
    'packages/kit/src/lifecycle/fill-compile-cache.ts',
    `${folder}/src/main.ts`,
  ]
  const child = spawn(join(root, command[0] ?? ''), command.slice(1), {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_ENV: 'production', PORT: 'none', NODE_COMPILE_CACHE: cache },
  })
  expect(await once(child, 'exit')).toEqual([0, null])
  return readdirSync(cache, { recursive: true }).length
}

test('the compile cache of an image is complete: a second compilation adds no file', async () => {
  await using cache = await mkdtempDisposable(join(tmpdir(), 'platter-compiled-'))
  const kept = await compiled('services/payments', cache.path)
  expect(kept).toBeGreaterThan(500)
  expect(await compiled('services/payments', cache.path)).toBe(kept)
})

test.each(serverKinds)('%s drops four capabilities, gains no privilege, and has a memory limit', (kind) => {
  expect(composeService(kind)).toMatchObject({
    cap_drop: ['MKNOD', 'NET_RAW', 'SETFCAP', 'SYS_CHROOT'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.any(String) as string,
  })
})

test('no container is privileged, shares a namespace of the host, or mounts its files', () => {
  // The job secrets reads the folder to detect an empty .env. It cannot write there, and has no network.
  const { network_mode: network, volumes, ...secretsJob } = composeService('secrets')
  expect({ network, volumes }).toEqual({ network: 'none', volumes: ['.:/project:ro'] })
  const wide = ['privileged', 'cap_add', 'devices', 'pid', 'ipc', 'network_mode', 'userns_mode', 'user']
  for (const [name, service] of Object.entries({ ...services, secrets: secretsJob })) {
    expect(Object.keys(service).filter((key) => wide.includes(key))).toEqual([])
    const mounts = (service['volumes'] ?? []) as string[]
    expect({ name, mounts: mounts.filter((one) => /^[./~]/.test(one)) }).toEqual({ name, mounts: [] })
  }
})

test('an image of Platter runs as the user node, without a secret in its build arguments', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const stages = dockerfile.split(/^FROM /m).slice(1)
  const started = stages.filter((stage) => / AS (process|jobs|gateway)\n/.test(stage))
  const users = started.flatMap((stage) => [...stage.matchAll(/^USER (\w+)$/gm)].map(([, user]) => user))
  expect(started.length).toBe(3)
  // The other two stages start from the result of `process`.
  expect(started.slice(1).every((stage) => stage.startsWith('process AS '))).toBe(true)
  expect(users).toEqual(['node'])
  expect(started[0]).not.toMatch(/^USER [^]*^RUN /m)
  expect(dockerfile).not.toMatch(/^(ARG|ENV) .*(SECRET|PASSWORD|TOKEN|KEY)/m)
})

test.each(folders)('%s restarts automatically, and its health check requests /health/ready', (folder) => {
  const { restart, healthcheck } = composeService(basename(folder))
  expect(restart).toBe('unless-stopped')
  expect(JSON.stringify(healthcheck)).toContain('/health/ready')
})

test('only the gateway, the development processor and Jaeger publish ports, on 127.0.0.1', () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(published).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8090:8080', '127.0.0.1:16686:16686'])
})

test('clients create tokens at the published port of the development processor, also when PROCESSOR_PORT moves it', () => {
  for (const variables of [{}, { PROCESSOR_PORT: '9090' }]) {
    const [published = ''] = composeService('processor', variables).ports ?? []
    const { environment } = composeService('payments', variables)
    expect(`${environment?.['PROCESSOR_PUBLIC_URL']}:8080`).toBe(`http://${published}`)
  }
})

test('the default operator key is a valid access key, and accounts receives its hash', () => {
  const key = composeService('seed').environment?.['OPERATOR_KEY'] ?? ''
  expect(looksLikeAccessKey(key)).toBe(true)
  expect(composeService('accounts').environment?.['OPERATOR_KEY_HASH']).toBe(hashAccessKey(key))
})

test.each(serverKinds)('%s has an image of a named major version', (kind) => {
  expect(composeService(kind).image).toMatch(/^[a-z]+:\d/)
})

test('a variable replaces its default', () => {
  const { environment } = composeService('postgres', { POSTGRES_PASSWORD: 'other' })
  expect(environment?.['POSTGRES_PASSWORD']).toBe('other')
})
