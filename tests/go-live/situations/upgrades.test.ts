import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { serviceNames, type ServiceName } from '../../../dev/stack/services.ts'
import { CURRENT } from '../installation.ts'
import { check, reconcile, whileOrdering, situation, type World } from '../world.ts'

/** The target of docs/operations.md, "Upgrade". */
const UPGRADE_GAP_S = 10
const SCRIPT = 'deploy/compose/upgrade.sh'
const REPOSITORY = join(import.meta.dirname, '../../..')
/** All images with a tag of the version. */
const IMAGES = [...serviceNames, 'jobs', 'tool']

/** Builds the services before the newest commit that changed one of them, or at GO_LIVE_PREVIOUS. Returns the tag. */
async function buildPrevious({ installation }: World): Promise<string> {
  const version = installation.version
  const changed = await installation.run(
    'git',
    '-C',
    REPOSITORY,
    'rev-list',
    '-1',
    'HEAD',
    'services',
    'packages',
  )
  const commit = process.env['GO_LIVE_PREVIOUS'] ?? `${changed.trim()}~1`
  await installation.run('git', 'clone', '-q', '--no-checkout', REPOSITORY, 'previous')
  await installation.run('git', '-C', 'previous', 'checkout', '-q', commit)
  installation.version = 'go-live-previous'
  const files = ['-f', 'previous/docker-compose.production.yml', '--project-directory', 'previous']
  await installation.compose(...files, '--profile', 'tool', 'build')
  installation.version = version
  return 'go-live-previous'
}

/**
 * Builds a version whose `service` has one more migration, and optionally an index. The operator's tool has them too. The other images
 * are the current ones.
 */
async function buildNext(
  { installation }: World,
  service: ServiceName,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tag = `go-live-next-${service}`
  for (const name of IMAGES)
    await installation.run('docker', 'tag', `platter/${name}:${CURRENT}`, `platter/${name}:${tag}`)
  const names = Object.keys(files).map((path) => [path, path.replaceAll('/', '-')] as const)
  mkdirSync(join(installation.folder, tag), { recursive: true })
  for (const [path, name] of names) installation.write(join(tag, name), files[path] ?? '')
  const copies = names.map(([path, name]) => `COPY ${name} /app/services/${service}/${path}`)
  for (const image of [service, 'tool']) {
    const from = `FROM platter/${image}:${CURRENT}`
    installation.write(join(tag, 'Dockerfile'), [from, ...copies, ''].join('\n'))
    await installation.run('docker', 'build', '-q', '-t', `platter/${image}:${tag}`, tag)
  }
  return tag
}

/** After a rollback, the older version cannot back up the newer schema. Follows docs/operations.md, "Roll back". */
async function backUpWith({ installation }: World, newer: string): Promise<void> {
  const backup = ['compose', 'exec', '-T', 'backup', 'node', 'apps/cli/src/main.ts', 'backup']
  const refused = await installation.attempt('docker', ...backup)
  check(
    refused.status !== 0 && refused.output.includes('Back up with the newer version'),
    `the older version: ${refused.output}`,
  )
  installation.configure('BACKUP_VERSION', newer)
  await installation.compose('up', '-d', 'backup')
  await installation.run('docker', ...backup)
}

async function versions({ installation }: World): Promise<Record<string, string>> {
  const images = (await installation.compose('ps', '--format', '{{.Service}} {{.Image}}')).trim().split('\n')
  return Object.fromEntries(
    images
      .map((line) => line.split(' ') as [string, string])
      .filter(([name]) => serviceNames.some((one) => one === name))
      .map(([name, image]) => [name, image.split(':')[1] ?? '']),
  )
}

const all = (version: string) => Object.fromEntries(serviceNames.map((name) => [name, version]))

/** Throws unless the running services have these versions. */
async function checkVersions(world: World, expected: Readonly<Record<string, string>>): Promise<void> {
  const found = await versions(world)
  const wrong = serviceNames.filter((name) => found[name] !== expected[name])
  check(wrong.length === 0, `other versions run: ${JSON.stringify(found)}`)
}

/** Runs the command of docs/operations.md with the images of another version. */
async function changeTo(world: World, version: string): Promise<string> {
  const { installation } = world
  installation.version = version
  const text = await whileOrdering(world, UPGRADE_GAP_S, () => installation.run('sh', SCRIPT))
  await checkVersions(world, all(version))
  await reconcile(world)
  return text
}

const MIGRATION = `alter table orders add column rehearsed text;
create table rehearsals (id text primary key);
alter table rehearsals enable row level security;
`
const INDEX = `create index concurrently orders_of_rehearsal on orders (rehearsed) where rehearsed is not null
`

situation(
  `a rollback to the previous images while clients order: at most ${UPGRADE_GAP_S} s without a response`,
  async (world) => {
    return changeTo(world, await buildPrevious(world))
  },
)

situation(
  `an upgrade from the previous images while clients order: at most ${UPGRADE_GAP_S} s without a response`,
  (world) => changeTo(world, CURRENT),
)

situation(
  `an upgrade with a migration and an index to build: at most ${UPGRADE_GAP_S} s without a response`,
  async (world) => {
    const next = await buildNext(world, 'orders', {
      'migrations/9990_rehearse_upgrade.sql': MIGRATION,
      'indexes/orders_of_rehearsal.sql': INDEX,
    })
    const text = await changeTo(world, next)
    const isMigrated = `select count(*) from orders.kysely_migration where name = '9990_rehearse_upgrade'`
    check((await world.installation.sql(isMigrated)).trim() === '1', 'the migration was not applied')
    const isValid = `select indisvalid from pg_index where indexrelid = 'orders.orders_of_rehearsal'::regclass`
    check((await world.installation.sql(isValid)).trim() === 't', 'the index was not built')
    const back = await changeTo(world, CURRENT)
    await backUpWith(world, next)
    return `${text}; back on the newer schema: ${back}`
  },
)

situation(
  'an upgrade to a service that does not become ready stops there, and the platform continues',
  async (world) => {
    const { installation } = world
    const broken = await buildNext(world, 'catalog', { 'migrations/9990_fail.sql': 'select 1 / 0;\n' })
    installation.version = broken
    let output = ''
    const text = await whileOrdering(world, UPGRADE_GAP_S, async () => {
      const ended = await installation.attempt('env', 'READY_WITHIN_S=30', 'sh', SCRIPT)
      output = ended.output
      check(ended.status !== 0, 'the script succeeded')
    })
    for (const words of ['The new catalog did not become ready', 'division by zero', 'docs/operations.md'])
      check(output.includes(words), `it does not print "${words}": ${output.slice(-1_500)}`)
    await checkVersions(world, { ...all(CURRENT), payments: broken, accounts: broken })
    const left = await installation.run(
      'docker',
      'ps',
      '-aq',
      '--filter',
      `name=${installation.project}-.*-run-`,
    )
    check(left.trim() === '', 'a container is left')
    const back = await changeTo(world, CURRENT)
    return `${text}; after the roll-back: ${back}`
  },
)

situation(
  'a new Caddyfile, as git writes it, applies with the upgrade, and no connection is refused',
  async (world) => {
    const { installation } = world
    const path = join(installation.folder, 'deploy/compose/Caddyfile')
    const before = readFileSync(path, 'utf8')
    // The write creates a new file with the old name. A mount of the file itself would not show it.
    const use = (text: string) => {
      installation.write('deploy/compose/Caddyfile.new', text)
      renameSync(`${path}.new`, path)
    }
    use(
      before.replace(
        'reverse_proxy gateway:8080 {',
        'header X-Rehearsal new\n\treverse_proxy gateway:8080 {',
      ),
    )
    const text = await whileOrdering(world, 3, () =>
      installation.compose('exec', '-T', 'caddy', 'caddy', 'reload', '--config', '/etc/caddy/Caddyfile'),
    )
    const { headers } = await installation.call('/health/live')
    check(headers['x-rehearsal'] === 'new', 'Caddy serves by the old file')
    use(before)
    await installation.run('sh', SCRIPT)
    const after = await installation.call('/health/live')
    check(after.headers['x-rehearsal'] === undefined, 'the script did not apply the file')
    return text
  },
)

situation('two replicas of the gateway: orders continue while one of them is stopped', async (world) => {
  const { installation } = world
  const scale = (count: number) =>
    installation.compose('up', '-d', '--wait', '--no-deps', '--scale', `gateway=${count}`, 'gateway')
  const text = await whileOrdering(world, 3, async () => {
    await scale(2)
    const [first = '', second = ''] = (await installation.compose('ps', '-q', 'gateway')).trim().split('\n')
    check(second !== '', 'there is one replica only')
    await wait(3_000)
    await installation.run('docker', 'stop', first)
    await wait(3_000)
    await installation.run('docker', 'start', first)
    await scale(2)
    await scale(1)
  })
  await reconcile(world)
  return text
})
