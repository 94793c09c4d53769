/**
 * The rehearsal of going live. It starts docker-compose.production.yml in a copy of the repository, and runs each situation.
 *   npm run go-live                         # all, and those of elsewhere.test.ts
 *   npm run go-live -- -t 'start|tablet'    # set-up, and the situations whose title matches the pattern
 *   npm run go-live -- elsewhere            # PostgreSQL, RabbitMQ and Redis elsewhere
 *   KEEP=1 npm run go-live                  # leaves the containers running
 * Needs Docker with Compose v2, openssl, and Chromium for HTTP/3. GO_LIVE_PREVIOUS names the commit to upgrade from.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { AUTHORITY, AUTHORITY_OVERLAY, HOST_AND_DISKS, stripeOverlay } from './overlay.ts'
import { endWorld, start, startWorld, type World } from './world.ts'

// Their tests, in this order. Each needs a platform that started.
for (const name of ['start', 'transport', 'failures', 'restarts', 'upgrades', 'losses'])
  await import(`./situations/${name}.test.ts`)

let world: World

beforeAll(async () => {
  world = await startWorld('platter')
  const { installation, stripe, receiver } = world
  await installation.prepare(
    {
      ...stripe.answers,
      ...receiver.answers,
      TLS_EMAIL: 'operator@platter-rehearsal.org',
      ACME_DIRECTORY: AUTHORITY.directory,
      CA_FILE: AUTHORITY.file,
    },
    stripeOverlay(stripe.port) + HOST_AND_DISKS + AUTHORITY_OVERLAY,
  )
})

afterAll(() => endWorld(world))

beforeEach(({ skip }) => skip(start.hasFailed, 'the platform did not start'))
