import { check, reconcile, secondsUntil, whileOrdering, situation, type World } from '../world.ts'

/** Seven runs took 7.1 to 8.5 s, on a machine with two cores and no other work. RabbitMQ alone takes 6 s. */
const RESTART_GAP_S = 10
/** Docker restarts the containers in this time, on an otherwise idle machine. */
const READY_WITHIN_S = 120

/** Kills the main process of every container at once, as a power failure does. Docker restarts them. */
async function killAll({ installation }: World): Promise<void> {
  const ids = (await installation.compose('ps', '-q', '--status', 'running')).trim().split('\n')
  const pids = await installation.run('docker', 'inspect', '--format', '{{.State.Pid}}', ...ids)
  await installation.run('kill', '-9', ...pids.trim().split('\n'))
}

/** Waits until Docker alone has restarted the platform. */
async function waitUntilReady({ installation }: World): Promise<void> {
  const ready = async () => (await installation.call('/health/ready')).status === 200
  await secondsUntil(ready, { what: 'ready', withinS: READY_WITHIN_S })
}

situation(
  `a restart of every container loses no order: at most ${RESTART_GAP_S} s without a response`,
  async (world) => {
    const text = await whileOrdering(world, RESTART_GAP_S, async () => {
      await world.installation.compose('restart')
      await waitUntilReady(world)
    })
    await reconcile(world)
    return text
  },
)

situation(
  `a reboot of the host loses no order: at most ${RESTART_GAP_S} s without a response`,
  async (world) => {
    const text = await whileOrdering(world, RESTART_GAP_S, async () => {
      await killAll(world)
      await waitUntilReady(world)
    })
    await reconcile(world)
    const { 'dead letters': letters, incidents } = await world.installation.doctor()
    check(letters === undefined && incidents === undefined, `${letters ?? ''} ${incidents ?? ''}`)
    return text
  },
)
