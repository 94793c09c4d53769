/**
 * The one-off job `seed` of docker-compose.yml: the development data through the gateway. What it has made is kept in
 * a volume, so that the next start finds the same access keys.
 */
import { isReady } from '../process/ready.ts'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import { until } from '../process/wait.ts'
import { exportLine, firstRequest } from '../seed/first-request.ts'
import { seed, type SeedResult } from '../seed/seed.ts'
import { variable } from './environment.ts'

/** As long as everything else may take to start on a slow machine. */
const withinMs = 300_000

const gateway = variable('GATEWAY_URL')
const stateFile = variable('STATE_FILE')
const known = readIfPresent(stateFile)
// The gateway is ready as soon as it knows access keys, and what it passes on to may still be starting.
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

Paste these lines to try it; the README goes on from there ("A first order"):

${exportLine(variable('PUBLIC_URL'), seeded.accessKey)}
${firstRequest}`)
