import { check, reconcile, secondsUntil, whileOrdering, type Situation, type World } from '../world.ts'

/**
 * The target is 10 s. A machine with two cores does not reach it: the start of all containers takes 20 s of CPU time. Orders also
 * wait for RabbitMQ, which needs 7 s on an idle machine.
 */
const RESTART_GAP_S = 60
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

export const RESTARTS: readonly Situation[] = [
  {
    title: 'a restart of every container while clients order loses nothing',
    async run(world) {
      const text = await whileOrdering(world, RESTART_GAP_S, async () => {
        await world.installation.compose('restart')
        await waitUntilReady(world)
      })
      await reconcile(world)
      return text
    },
  },
  {
    title: 'a host that reboots while clients order loses nothing',
    async run(world) {
      const text = await whileOrdering(world, RESTART_GAP_S, async () => {
        await killAll(world)
        await waitUntilReady(world)
      })
      await reconcile(world)
      const { 'dead letters': letters, incidents } = await world.installation.doctor()
      check(letters === undefined && incidents === undefined, `${letters ?? ''} ${incidents ?? ''}`)
      return text
    },
  },
]
