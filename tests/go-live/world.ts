import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findDocker } from '../../dev/servers/compose-command.ts'
import { until } from '../../dev/process/wait.ts'
import { pickup } from '../support/fixtures.ts'
import { print } from '../support/stack.ts'
import { Installation, type Reply } from './installation.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { startStripe, type TestStripe } from './stripe.ts'

/** The common state of the situations. Each situation begins with a working platform. */
export type World = {
  installation: Installation
  stripe: TestStripe
  keys: { application: string; applicationId: string; restaurant: string }
  restaurantApiKey: string
  itemApiKey: string
  tablet: Tablet
  receiver: Receiver
}

/** KEEP=1 leaves the containers running. */
export const isKept = process.env['KEEP'] === '1'

/** The world of the tests of this file. */
let worldOfTests: World

/** Each world has a processor of its own. Otherwise the reconciliation of one would find the charges of the other. */
export async function startWorld(name: string): Promise<World> {
  await findDocker()
  worldOfTests = {
    installation: new Installation(join(mkdtempSync(join(tmpdir(), 'platter-go-live-')), name)),
    stripe: await startStripe(),
    receiver: await startReceiver(),
    keys: { application: '', applicationId: '', restaurant: '' },
    restaurantApiKey: '',
    itemApiKey: '',
    tablet: new Tablet(),
  }
  return worldOfTests
}

export async function endWorld({ installation, stripe, receiver, tablet }: World): Promise<void> {
  tablet.disconnect()
  if (isKept) print(`Running: ${installation.folder}, project ${installation.project}`)
  else {
    await installation.remove()
    rmSync(dirname(installation.folder), { recursive: true, force: true })
  }
  await Promise.all([receiver.close(), stripe.close()])
}

/** No situation runs on a platform that did not start. */
export const start = { hasFailed: false }

/** Declares a test. `run` returns the measurements, which are printed. It throws if the promise of the title does not hold. */
export function situation(title: string, run: (world: World) => Promise<string>): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller has the title.
  test(title, async () => {
    const measurements = await run(worldOfTests)
    expect(measurements).not.toBe('')
    print(`      ${measurements}`)
  })
}

export function check(isTrue: boolean, sentence: string): asserts isTrue {
  if (!isTrue) throw new Error(sentence)
}

const HOLDER = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '2 E Main St',
  cardholderZip: '53703',
}

/** Sends an order for pickup. */
export function sendOrder(
  world: World,
  payment: 'cash' | 'card',
  idempotencyKey: string = randomUUID(),
): Promise<Reply> {
  const { installation, keys, restaurantApiKey, itemApiKey } = world
  const order = pickup(restaurantApiKey, itemApiKey, { payment })
  return installation.call('/publicapi/v1/send-order', {
    key: keys.application,
    idempotencyKey,
    // With a real processor, the platform rejects card numbers.
    body:
      payment === 'card' ? { ...order, card: { ...HOLDER, processorToken: world.stripe.cardToken } } : order,
  })
}

/** Repeats `attempt` until it returns true. Returns the elapsed seconds. */
export async function secondsUntil(
  attempt: () => Promise<boolean>,
  { what, withinS }: { what: string; withinS: number },
): Promise<number> {
  const from = performance.now()
  await until(() => attempt().catch(() => false), { what, withinMs: withinS * 1000, everyMs: 250 })
  return (performance.now() - from) / 1000
}

/** Places an order by card, and waits for its capture. Returns the captures of its card. */
export async function placeCardOrder(world: World, idempotencyKey?: string) {
  const { status, body } = await sendOrder(world, 'card', idempotencyKey)
  check(status === 200, `card: ${status} ${JSON.stringify(body)}`)
  const captures = () => world.stripe.captured().filter(({ reference }) => reference === body['apiKey'])
  await secondsUntil(async () => captures().length > 0, { what: 'the capture', withinS: 30 })
  return captures()
}

/** The console of the restaurant. It polls its orders, and each poll counts as attendance. */
class Tablet {
  #timer: NodeJS.Timeout | undefined

  async connect({ installation, keys }: World): Promise<void> {
    this.disconnect()
    const read = () =>
      installation
        .call('/restaurantapi/v1/orders?limit=1', { key: keys.restaurant })
        .catch(() => 'the platform is restarting')
    this.#timer = setInterval(() => void read(), 10_000)
    await read()
  }

  disconnect(): void {
    clearInterval(this.#timer)
  }
}

/** Compares the books of all services and the processor. Rejects on a mismatch. */
export const reconcile = async ({ installation }: World): Promise<void> =>
  void (await installation.platter('reconcile', '--since', '24h'))

/** The longest delay that `Retry-After` requests. */
const LONGEST_DELAY_MS = 3_000

/** The orders of clients under their idempotency keys, and their responses. */
type Ordered = { keys: string[]; unstored: number; repeated: number; closed: number; respondedAt: number[] }

/** Sends an order, and repeats it under its key, with growing delays, until it is stored. */
async function orderUntilStored(world: World, ordered: Ordered): Promise<void> {
  const key = randomUUID()
  ordered.keys.push(key)
  const giveUpAt = performance.now() + 180_000
  for (let delayMs = 200; performance.now() < giveUpAt; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    const reply = await sendOrder(world, 'cash', key).catch(() => null)
    if (reply && reply.status < 500) ordered.respondedAt.push(performance.now())
    if (reply?.body['code'] === 'restaurant-closed') ordered.closed += 1
    if (reply?.status === 200) return
    ordered.repeated += 1
    await wait(delayMs)
  }
  ordered.unstored += 1
}

/** Begins an order each quarter of a second until the signal. Resolves when all are stored. */
async function sendOrders(world: World, ordered: Ordered, signal: AbortSignal): Promise<void> {
  const running: Promise<void>[] = []
  for (; !signal.aborted; await wait(250)) running.push(orderUntilStored(world, ordered))
  await Promise.all(running)
}

/** Throws on a lost or repeated order, and if the restaurant closed although its tablet was connected. */
async function checkStored(
  { installation, keys: { application: key } }: World,
  { keys, unstored, closed }: Ordered,
): Promise<void> {
  check(unstored === 0, `${unstored} orders had no response`)
  check(closed === 0, `${closed} requests were refused because the restaurant was closed`)
  const found = new Set<unknown>()
  for (const idempotencyKey of keys) {
    const reply = await installation.call(`/publicapi/v1/order-by-key/${idempotencyKey}`, { key })
    check(reply.status === 200, `an accepted order is lost: ${reply.status}`)
    found.add(reply.body['apiKey'])
  }
  check(found.size === keys.length, `of ${keys.length} orders ${found.size} exist`)
}

/** Runs `work` while clients send orders. Returns the figures as a text. */
export async function whileOrdering(
  world: World,
  mostGapS: number,
  work: () => Promise<unknown>,
): Promise<string> {
  const ordered: Ordered = { keys: [], unstored: 0, repeated: 0, closed: 0, respondedAt: [performance.now()] }
  const over = new AbortController()
  const ordering = sendOrders(world, ordered, over.signal)
  await wait(3_000)
  const from = performance.now()
  let tookS: number
  try {
    await work()
    tookS = (performance.now() - from) / 1000
    await wait(3_000)
  } finally {
    over.abort()
    await ordering
  }
  await checkStored(world, ordered)
  const { keys, repeated, respondedAt } = ordered
  const times = respondedAt.toSorted((one, other) => one - other)
  const gapS = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1000
  const text = `${keys.length} orders, each stored once; ${repeated} requests repeated; ${gapS.toFixed(1)} s without a response; ${tookS.toFixed(0)} s in total`
  check(gapS <= mostGapS, `${text}: more than ${mostGapS} s`)
  return text
}
