/**
 * The rehearsal of going live. It starts docker-compose.production.yml in a copy of the repository, and runs each situation.
 * A second part has PostgreSQL, RabbitMQ and Redis elsewhere.
 *   npm run go-live                        # all, in their order
 *   npm run go-live -- --only 'tablet|key' # set-up, and the situations whose title matches the pattern
 *   npm run go-live -- --only elsewhere    # the second part
 *   npm run go-live -- --keep              # leaves the containers running
 * Needs Docker with Compose v2, openssl, and Chromium for HTTP/3. GO_LIVE_PREVIOUS names the commit to upgrade from.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findDocker } from '../../dev/servers/compose-command.ts'
import { Installation } from './installation.ts'
import { AUTHORITY, AUTHORITY_OVERLAY, HOST_AND_DISKS, stripeOverlay } from './overlay.ts'
import { startReceiver } from './receiver.ts'
import { startServers } from './servers.ts'
import { elsewhere } from './situations/elsewhere.ts'
import { FAILURES } from './situations/failures.ts'
import { LOSSES } from './situations/losses.ts'
import { RESTARTS } from './situations/restarts.ts'
import { START } from './situations/start.ts'
import { TRANSPORT } from './situations/transport.ts'
import { UPGRADES } from './situations/upgrades.ts'
import { startStripe } from './stripe.ts'
import { Tablet, type Situation, type World } from './world.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } },
})
await findDocker()

const print = (line: string) => process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'platter-go-live-'))
const receiver = await startReceiver()

/** Each part has a processor of its own. Otherwise the reconciliation of one would find the charges of the other. */
async function startWorld(name: string): Promise<World> {
  const world: World = {
    installation: new Installation(join(folder, name)),
    stripe: await startStripe(),
    receiver,
    keys: { application: '', applicationId: '', restaurant: '' },
    restaurantApiKey: '',
    itemApiKey: '',
    tablet: new Tablet(() => world),
  }
  return world
}

let failed = 0

/** Runs the first situations, and the chosen ones of the others. The others need a platform that started. */
async function rehearse(
  world: World,
  first: readonly Situation[],
  others: readonly Situation[],
): Promise<void> {
  for (const { title, run } of [...first, ...others]) {
    const from = performance.now()
    try {
      const figures = await run(world)
      print(`ok    ${title}\n      ${figures} (${((performance.now() - from) / 1000).toFixed(0)} s)`)
    } catch (error) {
      failed += 1
      print(`WRONG ${title}\n      ${error instanceof Error ? error.message : String(error)}`)
      if (first.some((one) => one.title === title)) break
    }
  }
  world.tablet.disconnect()
  const { installation, stripe } = world
  if (values.keep) print(`Running: ${installation.folder}, project ${installation.project}`)
  else await installation.remove()
  await stripe.close()
}

const chosen = (situations: readonly Situation[]) =>
  situations.filter(({ title }) => new RegExp(values.only ?? '').test(title))

const bundled = chosen([...TRANSPORT, ...FAILURES, ...RESTARTS, ...UPGRADES, ...LOSSES])
const isElsewhereOnly = values.only === 'elsewhere'
if (!isElsewhereOnly) {
  const world = await startWorld('platter')
  await world.installation.prepare(
    {
      ...world.stripe.answers,
      ...receiver.answers,
      TLS_EMAIL: 'operator@platter-rehearsal.org',
      ACME_DIRECTORY: AUTHORITY.directory,
      CA_FILE: AUTHORITY.file,
    },
    stripeOverlay(world.stripe.port) + HOST_AND_DISKS + AUTHORITY_OVERLAY,
  )
  await rehearse(world, START, bundled)
}
if (values.only === undefined || isElsewhereOnly) {
  const servers = await startServers(join(folder, 'servers'))
  const world = await startWorld('elsewhere')
  const { stripe, installation } = world
  await installation.prepare({ ...stripe.answers, ...servers.answers }, servers.overlay(stripe.port))
  await rehearse(world, elsewhere(servers), [])
  if (!values.keep) await servers.stop()
}
if (!values.keep) rmSync(folder, { recursive: true, force: true })
receiver.close()
print(failed === 0 ? 'Every situation ended as promised.' : `${failed} situations did not.`)
process.exitCode = failed === 0 ? 0 : 1
