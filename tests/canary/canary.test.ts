import { randomInt } from 'node:crypto'
import { join, relative, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serverKinds, type ServerKind } from '../../dev/servers/types.ts'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { settled } from '../support/books.ts'
import { randomOf, type Random } from '../support/random.ts'
import { sendToTrees } from '../support/faults.ts'
import { print, startTestStack } from '../support/stack.ts'
import { tally } from '../support/statistics.ts'
import { Canaries } from './canaries.ts'
import { PATHS } from './paths.ts'
import { copyRows, dumps, keepEverything, searchFiles } from './places.ts'
import { isPlanted, missing, plant, type Plant } from './plants.ts'
import { sendToRedis, startRecorder } from './recorder.ts'
import { inTurn, walkAll, walkRefused } from './walk.ts'
import { World } from './world.ts'

/** `npm run canary` is the long form, with new secrets each time. CANARY_SEED=… repeats those of a seed. */
const LONG = process.env['CANARY_ORDERS']
const SEED = Number(process.env['CANARY_SEED'] ?? (LONG === undefined ? 1 : randomInt(1_000_000)))
/** The number of orders with a new card each, while processes are killed. */
const ORDERS = Number(LONG ?? 12)

const PROCESSES = [...serviceNames, 'processor'] as const
type Victim = ServerKind | (typeof PROCESSES)[number]
const ALL: readonly Victim[] = [...PROCESSES, ...serverKinds]
/** One group is killed after another, all processes of a group at once. */
const GROUPS: readonly (readonly Victim[])[] =
  LONG === undefined
    ? [['gateway', 'accounts', 'orders', 'payments', 'processor']]
    : [...ALL.map((one) => [one]), ALL]

/** Enables all metrics and logs at short intervals. The processor sometimes responds late, wrongly or not at all. */
function environment(otlp: string) {
  const loud = {
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  }
  const faults = ['drop-request', 'drop-reply', 'error-after-effect', 'rate-limited'].map((fault) => ({
    fault,
    on: ['tokenize', 'authorize'],
    probability: 0.01,
  }))
  return {
    gateway: { ...loud, RATE_LIMIT_REQUESTS: '1000000', TRUSTED_PROXIES: '127.0.0.1' },
    accounts: { ...loud, TRIES_PER_ADDRESS: '1000000' },
    catalog: loud,
    orders: { ...loud, TRANSMIT_DEADLINE_MS: '60000' },
    simulators: { LOG_LEVEL: 'trace', STEP_MS: '500' },
    payments: { ...loud },
    processor: { LOG_LEVEL: 'trace', FAULTS: JSON.stringify({ seed: 1, rules: faults }) },
  }
}

test(
  'no card number, cvv, password or access key is in a store, queue, log, trace or dump',
  { timeout: 300_000 + ORDERS * 1_000 },
  async () => {
    print(`seed ${SEED}`)
    const recorder = await startRecorder(join(RUNS, 'canary-recorded'))
    const env = environment(recorder.otlp)
    const stack = await startTestStack('canary', { env })
    const folders = [join(RUNS, 'canary'), recorder.folder, ...outside(stack.file.data.postgres)]
    const canaries = new Canaries(SEED)
    let plants: Plant[]
    let astray: string[]
    try {
      await keepEverything(stack.file)
      recorder.watchRedis(stack.file.urls.redis)
      const world = await World.create(stack.file, canaries, SEED + 1)
      astray = await walkAll(world)
      await sendWhileKilled(stack, world)
      astray.push(...(await walkRefused(stack, world, env)))
      expect(await settled(stack, 90_000)).toBe(true)
      plants = await plant(stack.file, recorder.otlp, canaries)
      await copyRows(stack.file)
      await sendToRedis(stack.file.urls.redis, 'CONFIG SET rdbcompression no', 'SAVE')
    } finally {
      await stack.stop()
      await recorder.close()
    }
    knowStackKeys(canaries, stack)
    const { found, megabytes, files } = await searchFiles(folders, canaries)
    print(`searched ${megabytes} MB in ${files} files for ${canaries.numbers.size} card numbers`)
    const leaks = found.filter((one) => !isPlanted(plants, one) && !isAllowed(one))
    const blind = missing(plants, found)
    const silent = serviceNames.filter((name) => !recorder.exporters.has(name))
    expect({ leaks, blind, silent, astray, dumps: dumps(folders) }).toEqual({
      leaks: [],
      /** Places in which the search did not find the planted canary. There the search proves nothing. */
      blind: [],
      /** Services that have sent no telemetry. */
      silent: [],
      /** Paths that did not end with the expected status. */
      astray: [],
      dumps: [],
    })
  },
)

const RUNS = resolve(import.meta.dirname, '../../.run')
const outside = (data: string | null) =>
  data !== null && relative(RUNS, data).startsWith('..') ? [data] : []

// Kills --------------------------------------------------------------------------------------------------------

async function sendWhileKilled(stack: Stack, world: World): Promise<void> {
  const over = new AbortController()
  const killing = wait(300).then(() => killGroups(stack, randomOf(SEED + 2), over.signal))
  const statuses = await inTurn(Array(ORDERS).keys(), async (at) => {
    const path = PATHS[at % PATHS.length]
    const [{ status }] = await Promise.all([
      world.orderUntilKnown('send-order while killed'),
      path?.walk(world),
    ])
    return status
  })
  over.abort()
  print(`${ORDERS} orders (${JSON.stringify(tally(statuses))}) during ${await killing} kills`)
}

/** Kills each group once, and repeats that while requests remain. Ends when all processes are ready. Returns the number of kills. */
async function killGroups(stack: Stack, random: Random, over: AbortSignal): Promise<number> {
  let kills = 0
  while (kills < GROUPS.length || !over.aborted) {
    for (const victim of GROUPS[kills % GROUPS.length]!) kill(stack, victim, random)
    kills += 1
    await Promise.all(PROCESSES.map((name) => stack.ready(name)))
    // The launcher increases its restart delay for a process that dies often.
    if (kills >= GROUPS.length)
      await wait(random.between(8_000, 12_000), undefined, { signal: over }).catch(() => 'all is sent')
  }
  return kills
}

/** A process that aborts itself ends with SIGABRT. A process may leave a core dump on it. */
function kill(stack: Stack, victim: Victim, random: Random): void {
  const { processes } = stack.file
  if (victim === 'processor') sendToTrees(stack.pids(victim), 'SIGKILL')
  else if (serverKinds.some((server) => server === victim)) sendToTrees(processes[victim], 'SIGKILL')
  else sendToTrees(processes[victim], random.pick(['SIGKILL', 'SIGABRT']))
}

// Permitted places -----------------------------------------------------------------------------------------------

const STACK_KEY = 'access key for development'

/** `npm start` stores these keys for the next start and for tools, readable only for its user. */
function knowStackKeys(canaries: Canaries, { file, operatorKey }: Stack): void {
  const ofRestaurants = file.restaurants.map(({ accessKey }) => accessKey)
  for (const key of [operatorKey, file.accessKey, file.otherAccessKey, ...ofRestaurants])
    canaries.register(key, STACK_KEY)
}

/** Only the keys of the launcher are permitted, and only in its own file. */
const isAllowed = ({ what, place }: { what: string; place: string }): boolean =>
  what === STACK_KEY && place === join('.run', 'canary', 'secrets.json')
