import { join, relative, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack } from '../../dev/stack.ts'
import { settled } from '../support/books.ts'
import { randomOf, type Random } from '../support/random.ts'
import { sendToTrees } from '../support/faults.ts'
import { tally } from '../support/statistics.ts'
import { Canaries } from './canaries.ts'
import { PATHS } from './paths.ts'
import { dumps, keepEverything, searchFiles, searchRows, type Found } from './places.ts'
import { Plants } from './plants.ts'
import { walkRefused, type Switch } from './refuse-mode.ts'
import { Recorder, sendToRedis } from './recorder.ts'
import { orderUntilKnown, sendTo, worldOf, type Path, type World } from './world.ts'

export type CanaryOptions = {
  /** The number of orders with a new card each, in addition to one run of each path. */
  orders: number
  seed: number
  /** The processes to kill during the run: one group after another, all processes of a group at once. */
  kills: readonly (readonly Victim[])[]
  print: (line: string) => void
}
type Victim = 'gateway' | 'accounts' | 'orders' | 'payments' | 'catalog' | 'processor' | keyof typeof SERVERS

export type CanaryReport = {
  /** Secrets in forbidden places. */
  leaks: Found[]
  /** Places in which the search did not find the planted canary. There the search proves nothing. */
  blind: string[]
  /** Paths that did not end with the expected status. */
  astray: string[]
  /** Memory dumps. */
  dumps: string[]
}

const runs = resolve(import.meta.dirname, '../../.run')
const AT_ONCE = 12
const SERVERS = { postgres: true, rabbitmq: true, redis: true }

/** Sends secrets on every path while it kills processes, then stops the stack and searches all remaining data. */
export async function runCanary(options: CanaryOptions): Promise<CanaryReport> {
  const { print, seed } = options
  const recorder = new Recorder(join(runs, 'canary-recorded'))
  const otlp = await recorder.listen()
  const env = environment(otlp)
  const stack = await startStack({
    runDirectory: join(runs, 'canary'),
    reporter: plainReporter(print),
    fresh: true,
    env,
  })
  const { file } = stack
  const folders = [join(runs, 'canary'), recorder.folder, ...outside(file.data.postgres)]
  const canaries = new Canaries(seed)
  const planted = new Plants()
  let astray: string[]
  let rows: Awaited<ReturnType<typeof searchRows>>
  try {
    await keepEverything(file)
    recorder.watchRedis(file.urls.redis)
    astray = await sendAll(stack, canaries, { ...options, mode: env })
    if ((await settled(stack, 90_000)) === null) throw new Error('a saga has not ended')
    await planted.plant(file, otlp)
    rows = await searchRows(file, both(canaries, planted.canaries))
    await sendToRedis(file.urls.redis, 'CONFIG SET rdbcompression no', 'SAVE')
  } finally {
    await stack.stop()
    await recorder.close()
  }
  const started = performance.now()
  const files = await searchFiles(folders, both(withStackKeys(canaries, stack), planted.canaries))
  print(
    `searched ${megabytes(files.bytes + rows.bytes)} MB in ${files.files} files and all rows in ${Math.round(performance.now() - started)} ms`,
  )
  const found = [...rows.found, ...files.found].filter(({ what, place }) => !isAllowed(what, place))
  const report = {
    leaks: found.filter((one) => !planted.isOne(one)),
    blind: planted.missing(found),
    astray,
    dumps: dumps(folders),
  }
  describe(report, canaries, print)
  return report
}

const outside = (data: string | null) =>
  data !== null && relative(runs, data).startsWith('..') ? [data] : []
const megabytes = (bytes: number) => Math.round(bytes / 1_000_000)

const together = <K, V>(one: ReadonlyMap<K, V>, other: ReadonlyMap<K, V>) => new Map([...one, ...other])

function both(one: Canaries, other: Canaries) {
  return {
    numbers: together(one.numbers, other.numbers),
    words: together(one.words, other.words),
    cvvs: together(one.cvvs, other.cvvs),
  }
}

/** Enables all metrics and logs at short intervals. The processor sometimes responds late, wrongly or not at all. */
function environment(otlp: string) {
  const loud = {
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_BLRP_SCHEDULE_DELAY: '200',
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

// Requests -----------------------------------------------------------------------------------------------------

/** Returns the paths that ended with an unexpected status. */
async function sendAll(
  stack: Stack,
  canaries: Canaries,
  options: CanaryOptions & { mode: Switch },
): Promise<string[]> {
  const world = await worldOf(stack.file, {
    send: sendTo(stack.gateway),
    canaries,
    random: randomOf(options.seed + 1),
  })
  const started = performance.now()
  const quiet = (await inTurn(PATHS, (path) => walkUntilThere(path, world))).filter((one) => one !== null)
  const quietMs = performance.now() - started
  const over = new AbortController()
  const killing = wait(300).then(() => killAll(stack, options, over.signal))
  const statuses = await inTurn([...Array(options.orders).keys()], async (at) => {
    const path = PATHS[at % PATHS.length]
    const [{ status }] = await Promise.all([
      orderUntilKnown(world, 'send-order while killed'),
      path?.walk(world),
    ])
    return status
  })
  over.abort()
  const kills = await killing
  options.print(
    `${PATHS.length} paths in ${Math.round(quietMs)} ms; then ${options.orders} orders (${JSON.stringify(tally(statuses))}) while ${kills.length === 0 ? 'nothing was' : `${kills.join(', ')} were`} killed`,
  )
  const { mode } = options
  const { astray, refused } = await walkRefused(stack, { world, mode, inTurn, untilThere: walkUntilThere })
  options.print(`RAW_CARDS=refuse: ${refused} requests with a card number were refused`)
  if (refused < PATHS.length / 3) astray.push(`only ${refused} requests were refused`)
  return [...quiet, ...astray]
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = all.values()
  const worker = async () => {
    for (const one of waiting) results.push(await work(one))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** Repeats a path up to five times, because faults of the processor or a busy machine may disturb it. */
async function walkUntilThere(path: Path, world: World): Promise<string | null> {
  const seen: number[] = []
  for (let attempts = 0; attempts < 5; attempts++) {
    const { status } = await path.walk(world)
    if ([path.leadsTo].flat().includes(status)) return null
    seen.push(status)
  }
  return `${path.name}: ${seen.join(', ')} instead of ${[path.leadsTo].flat().join(' or ')}`
}

/** Kills each group once, and repeats that while requests remain. Ends when all processes are ready. */
async function killAll(stack: Stack, { kills, seed }: CanaryOptions, over: AbortSignal): Promise<string[]> {
  const random = randomOf(seed + 2)
  const killed: string[] = []
  for (let at = 0; at < kills.length || (kills.length > 0 && !over.aborted); at++) {
    const group = kills[at % kills.length] ?? []
    for (const victim of group) kill(stack, victim, random)
    killed.push(group.join(' and '))
    await allReady(stack)
    // The launcher increases its restart delay for a process that dies often.
    if (at + 1 >= kills.length)
      await wait(random.between(8_000, 12_000), undefined, { signal: over }).catch(() => 'all is sent')
  }
  return killed
}

/** A process that aborts itself ends with SIGABRT. A process may leave a core dump on it. */
function kill(stack: Stack, victim: Victim, random: Random): void {
  const { processes } = stack.file
  if (victim === 'processor') sendToTrees(stack.pids(victim), 'SIGKILL')
  else if (victim in SERVERS) sendToTrees(processes[victim], 'SIGKILL')
  else sendToTrees(processes[victim], random.pick(['SIGKILL', 'SIGABRT']))
}

async function allReady(stack: Stack): Promise<void> {
  const names = ['processor', 'payments', 'accounts', 'catalog', 'orders', 'gateway'] as const
  await Promise.all(names.map((name) => stack.ready(name)))
}

// Permitted places -----------------------------------------------------------------------------------------------

const STACK_KEY = 'access key for development'

/** `npm start` stores these keys for the next start and for tools, readable only for its user. */
function withStackKeys(canaries: Canaries, { file, operatorKey }: Stack): Canaries {
  const keys = [
    operatorKey,
    file.accessKey,
    file.otherAccessKey,
    ...file.restaurants.map((one) => one.accessKey),
  ]
  for (const key of keys) canaries.know(key, STACK_KEY)
  return canaries
}

/** Only the keys of the launcher are permitted, and only in its own file. */
const isAllowed = (what: string, place: string): boolean =>
  what === STACK_KEY && place === join('.run', 'canary', 'secrets.json')

function describe(
  { leaks, blind, astray, dumps: left }: CanaryReport,
  canaries: Canaries,
  print: (line: string) => void,
) {
  print(
    `${canaries.numbers.size} card numbers, ${canaries.cvvs.size} cvvs, ${canaries.words.size} passwords and access keys`,
  )
  for (const [what, all] of Map.groupBy(leaks, ({ what: name, place }) => `${name} in ${place}`))
    print(`LEAK: ${what} (${all.length} times, as ${[...new Set(all.map(({ form }) => form))].join(', ')})`)
  for (const what of blind) print(`BLIND: ${what} was not found`)
  for (const what of astray) print(`ASTRAY: ${what}`)
  for (const file of left) print(`DUMP: ${file}`)
  print(leaks.length === 0 ? '0 leaks' : `${leaks.length} leaks`)
}
