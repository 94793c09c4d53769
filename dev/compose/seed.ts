/**
 * The one-off job `seed` of docker-compose.yml: creates the development data through the gateway. A volume keeps its result, so the
 * next start has the same access keys.
 */
import { isReady } from '../process/ready.ts'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import { until } from '../process/wait.ts'
import { exportLine, firstRequest } from '../seed/first-request.ts'
import { seed, type SeedResult } from '../seed/seed.ts'
import { variable } from './environment.ts'

/** Includes the start of all other containers on a slow machine. */
const withinMs = 300_000

/** Simulated restaurants would accept real orders, so an installation with its own secrets receives no development data. */
if (process.env['INSTALLATION'] === 'production') {
  console.log('No development data: this installation is for real orders (docker-compose.production.yml).')
  process.exit(0)
}

const gateway = variable('GATEWAY_URL')
const stateFile = variable('STATE_FILE')
const known = readIfPresent(stateFile)
// The gateway is ready before its upstreams.
for (const url of [gateway, ...variable('BEHIND_THE_GATEWAY').split(',')])
  await until(() => isReady(url), { what: `Waiting for ${url}`, withinMs, everyMs: 250 })
const seeded = await seed({
  gateway,
  simulators: variable('SIMULATORS_URL'),
  operatorKey: variable('OPERATOR_KEY'),
  previous: known === null ? null : (JSON.parse(known) as SeedResult),
  log: console.log,
})
writeWhole(stateFile, `${JSON.stringify(seeded, null, 2)}\n`)
console.log(`Platter is running at ${variable('PUBLIC_URL')}

  access key  ${seeded.accessKey}

Paste these lines for a first request; the README continues with "A first order":

${exportLine(variable('PUBLIC_URL'), seeded.accessKey)}
${firstRequest}`)
