import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CURRENT } from '../installation.ts'
import { check, sendOrder, whileOrdering, type Situation, type World } from '../world.ts'

const OURS = ['gateway', 'catalog', 'accounts', 'orders', 'payments']
/** All servers recover: PostgreSQL replays its log, and RabbitMQ starts an Erlang machine. */
const REBOOT_GAP_S = 120
/** docs/operations.md, "Upgrade". */
const UPGRADE_GAP_S = 10
const REPOSITORY = join(import.meta.dirname, '../../..')

/** Kills the main process of every container at once. Docker restarts them, as after a reboot. */
async function killAll({ installation }: World): Promise<void> {
  const ids = (await installation.compose('ps', '-q', '--status', 'running')).trim().split('\n')
  const pids = await installation.run('docker', 'inspect', '--format', '{{.State.Pid}}', ...ids)
  await installation.run('kill', '-9', ...pids.trim().split('\n'))
  await installation.compose('up', '-d', '--wait')
}

async function isReady({ installation }: World): Promise<void> {
  const { output } = await installation.attempt('docker', 'compose', 'up', '-d', '--wait')
  const { status } = await installation.call('/health/ready')
  check(status === 200, `not ready: ${output.slice(-500)}`)
}

/** Builds the services as they were before the newest commit that changed one, or at GO_LIVE_PREVIOUS. Returns the tag. */
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

/** The command of docs/operations.md, with the other images. */
async function changeTo(world: World, version: string): Promise<string> {
  const { installation } = world
  installation.version = version
  const text = await whileOrdering(world, UPGRADE_GAP_S, () =>
    installation.run('sh', 'deploy/compose/upgrade.sh'),
  )
  const images = await installation.compose('ps', '--format', '{{.Service}} {{.Image}}')
  for (const name of OURS)
    check(images.includes(`${name} platter/${name}:${version}`), `${name} has another version: ${images}`)
  await reconcile(world)
  return text
}

const reconcile = async ({ installation }: World): Promise<void> =>
  void (await installation.platter('reconcile', '--since', '24h'))

export const RESTARTS: readonly Situation[] = [
  {
    title: 'a restart of every container while clients order loses nothing',
    async run(world) {
      const text = await whileOrdering(world, REBOOT_GAP_S, async () => {
        await world.installation.compose('restart')
        await isReady(world)
      })
      await reconcile(world)
      return text
    },
  },
  {
    title: 'a host that reboots while clients order loses nothing',
    async run(world) {
      const text = await whileOrdering(world, REBOOT_GAP_S, async () => {
        await killAll(world)
        await isReady(world)
      })
      await reconcile(world)
      return text
    },
  },
  {
    title: `a rollback to the previous images while clients order: at most ${UPGRADE_GAP_S} s without an answer`,
    async run(world) {
      return changeTo(world, await buildPrevious(world))
    },
  },
  {
    title: `an upgrade from the previous images while clients order: at most ${UPGRADE_GAP_S} s without an answer`,
    run: (world) => changeTo(world, CURRENT),
  },
  {
    title: 'a lost database: restored from the archive of the night, and later orders are named as lost',
    async run(world) {
      const { installation, keys } = world
      const find = (key: string) =>
        installation.call(`/publicapi/v1/order-by-key/${key}`, { key: keys.application })
      const [kept, lost] = [randomUUID(), randomUUID()]
      check((await sendOrder(world, 'card', kept)).status === 200, 'no order')
      const archive =
        (await installation.compose('exec', '-T', 'backup', 'node', 'apps/cli/src/main.ts', 'backup')).split(
          ':',
        )[0] ?? ''
      check((await sendOrder(world, 'card', lost)).status === 200, 'no order')
      const from = performance.now()
      await installation.compose('stop', ...OURS, 'backup')
      await installation.compose('rm', '-sfv', 'postgres')
      await installation.run('docker', 'volume', 'rm', `${installation.project}_postgres`)
      await installation.compose('up', '-d', '--wait', 'postgres')
      await installation.platter('restore', archive)
      await installation.compose('up', '-d', '--wait')
      const tookS = (performance.now() - from) / 1000
      check((await find(kept)).status === 200, 'an order of the archive is lost')
      check((await find(lost)).status === 404, 'an order after the archive exists')
      const since = ['platter', 'reconcile', '--since', '1h', '--json']
      const { status, output } = await installation.attempt(
        'docker',
        'compose',
        'run',
        '--rm',
        '-T',
        ...since,
      )
      check(status === 1 && output.includes('charge-of-nobody'), 'the charge without an order is not named')
      return `restored in ${tookS.toFixed(0)} s; the charge of the lost order is named`
    },
  },
]
