/**
 * The rehearsal of going live: starts docker-compose.production.yml in a copy of the repository, and takes it through each situation.
 *   npm run go-live                        # all, in their order
 *   npm run go-live -- --only tablet       # set-up, and the situations whose title contains the word
 *   npm run go-live -- --keep              # leaves the containers running
 * Needs Docker with Compose v2, and openssl.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomBytes } from 'node:crypto'
import { findDocker } from '../../dev/servers/compose-command.ts'
import { Installation } from './installation.ts'
import { FAILURES } from './situations/failures.ts'
import { RESTARTS } from './situations/restarts.ts'
import { START } from './situations/start.ts'
import { TRANSPORT } from './situations/transport.ts'
import { startStripe } from './stripe.ts'
import { Tablet, type World } from './world.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } },
})
await findDocker()

const print = (line: string) => process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'platter-go-live-'))
const stripe = await startStripe()
const installation = new Installation(join(folder, 'platter'))
const world: World = {
  installation,
  stripe,
  keys: { application: '', applicationId: '', restaurant: '' },
  restaurantApiKey: '',
  itemApiKey: '',
  tablet: new Tablet(() => world),
}
await installation.prepare(stripe.port, {
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(16).toString('hex')}`,
})
const chosen = [...TRANSPORT, ...FAILURES, ...RESTARTS].filter(({ title }) =>
  title.includes(values.only ?? ''),
)
let failed = 0
for (const { title, run } of [...START, ...chosen]) {
  const from = performance.now()
  try {
    const figures = await run(world)
    print(`ok    ${title}\n      ${figures} (${((performance.now() - from) / 1000).toFixed(0)} s)`)
  } catch (error) {
    failed += 1
    print(`WRONG ${title}\n      ${error instanceof Error ? error.message : String(error)}`)
    // The others need a platform that started.
    if (START.some((one) => one.title === title)) break
  }
}
world.tablet.disconnect()
if (values.keep) print(`Running: ${installation.folder}, project ${installation.project}`)
else {
  await installation.remove()
  rmSync(folder, { recursive: true, force: true })
}
await stripe.close()
print(failed === 0 ? 'Every situation ended as promised.' : `${failed} situations did not.`)
process.exitCode = failed === 0 ? 0 : 1
