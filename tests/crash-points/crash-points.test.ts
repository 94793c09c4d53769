import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Api } from '../support/api.ts'
import { violationsOf } from '../support/invariants.ts'
import { readMenus } from '../support/order-clients.ts'
import { startCrashStack, type CrashStack } from './crash-stack.ts'
import {
  bodyOf,
  cardsOf,
  changeOrder,
  entryOf,
  retry,
  sendOrder,
  settledBooks,
  warmUp,
  type Sent,
} from './orders.ts'
import {
  chosenPoints,
  isAfterSale,
  KINDS,
  points,
  writePoints,
  type AfterSale,
  type Kind,
  type Point,
  type Points,
} from './points.ts'

const chosen = chosenPoints()
/**
 * With CRASH_EVERYTHING=true, each point kills both replicas of all services and wipes the data of RabbitMQ, which must be a native
 * process (PLATTER_SERVERS=native).
 */
const isEverythingKilled = process.env['CRASH_EVERYTHING'] === 'true'
/** RabbitMQ needs some seconds to start without data. */
const SETTLED_WITHIN_MS = isEverythingKilled ? 120_000 : 60_000

let crash: CrashStack
const api = new Api(() => crash.stack.file)
/** A user may have at most 20 cards, and each card order saves one. */
const users: string[] = []
const CARDS_A_USER = 15

beforeAll(async () => {
  crash = await startCrashStack(isEverythingKilled ? 2 : 1)
  await readMenus(api)
  for (let cards = 0; cards <= chosen.length; cards += CARDS_A_USER) users.push((await api.register()).apiKey)
}, 180_000)

afterAll(async () => {
  for (const { ms, point } of recoveries.toSorted((one, other) => other.ms - one.ms).slice(0, 5))
    process.stderr.write(`  among the slowest to settle: ${ms} ms, ${point}\n`)
  await crash.stack.stop()
}, 60_000)

/** The test assumes that an order has no further events after this time without one. */
const QUIET_MS = 1_000

async function eventsOf(key: string): Promise<string[]> {
  await settledBooks(crash.stack.file, key, 10_000)
  for (;;) {
    const seen = crash.eventsOf(`crash-${key}`)
    await wait(QUIET_MS)
    if (crash.eventsOf(`crash-${key}`).length === seen.length) return seen
  }
}

async function record(kind: Kind, round: number): Promise<string[]> {
  const key = `undisturbed-${kind}-${round}`
  await warmUp(api)
  const response = await sendOrder(api, key, await bodyOf(api, kind, key, users[0] ?? ''))
  const events = await eventsOf(key)
  if (!isAfterSale(kind)) return events
  await changeOrder(api, kind, { key, apiKey: response?.body.apiKey ?? '' })
  return (await eventsOf(key)).slice(events.length)
}

/** On a busy machine a reply may arrive so late that the orchestrator republishes the command. */
const ATTEMPTS = 3

/** Concurrent events of different processes have no defined order. */
const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  String(one.toSorted()) === String(other.toSorted())

/** `CRASH_RECORD=true npm run crash-points -- -t 'golden list'` rewrites the list. Review its changes before you commit them. */
test('an undisturbed order has exactly the events of the golden list', { timeout: 180_000 }, async () => {
  const isRecording = process.env['CRASH_RECORD'] === 'true'
  const golden = points()
  const recorded: Partial<Points> = {}
  for (const kind of KINDS)
    for (let round = 1; round <= ATTEMPTS; round++) {
      recorded[kind] = await record(kind, round)
      if (isRecording || isSame(recorded[kind], golden[kind])) break
    }
  if (isRecording) return writePoints(recorded as Points)
  for (const kind of KINDS) expect(recorded[kind]?.toSorted()).toEqual(golden[kind].toSorted())
})

/** Kills one process at a time. Earlier orders may still recover during the next kill. */
let turn: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work)
  turn = mine.catch(() => 'reported by its own test')
  return mine
}

/** Sends the request until the armed process has died and has a replacement. */
async function kill<Result>(
  { event }: Point,
  key: string,
  send: () => Promise<Result | null>,
): Promise<{ first: Promise<Result | null>; isDead: boolean }> {
  await warmUp(api)
  crash.arm(`crash-${key}`, event)
  const dying = crash.fired(15_000)
  const first = sendUntil(dying, send)
  const isDead = await dying
  crash.disarm()
  deaths.push(`${key}: ${event}`)
  if (isDead && isEverythingKilled) await crash.killEverything()
  if (isDead) await crash.replaced()
  return { first, isDead }
}

/** The previous test may have cut connections between services. The order is then not placed, and the client sends it again. */
async function sendUntil<Result>(
  dying: Promise<unknown>,
  send: () => Promise<Result | null>,
): Promise<Result | null> {
  const state = { isOver: false }
  void dying.then(() => (state.isOver = true))
  for (;;) {
    const response = await send()
    if (response !== null || state.isOver) return response
    await wait(100)
  }
}

const numbered = chosen.map((point, at) => ({ ...point, at }))

/** The kills so far, in order. An order may still be in progress during the next kill. */
const deaths: string[] = []
function historyOf(key: string): string {
  const since = deaths.slice(deaths.findIndex((death) => death.startsWith(`${key}: `))).join('\n')
  return `deaths since:\n${since}\nits events:\n${crash.eventsOf(`crash-${key}`).join('\n')}`
}

const recoveries: { ms: number; point: string }[] = []

/** Waits until the order has ended, compares its records with the expected ones, and returns them. */
async function expectOneEnd(
  { kind, event }: Point,
  { key, response, killedAt }: { key: string; response: Sent; killedAt: number },
) {
  const settled = await settledBooks(crash.stack.file, key, SETTLED_WITHIN_MS)
  recoveries.push({ ms: Math.round(performance.now() - killedAt), point: `${kind}, ${event}` })
  const violations = violationsOf([entryOf(key, kind, response)], settled)
  expect(violations, `its history:\n${historyOf(key)}`).toEqual([])
  return settled
}

/** Waits until the order has ended. An order in progress would not recover in time from the next kill of all processes. */
async function untilSettled(key: string, body: object): Promise<void> {
  await retry(() => sendOrder(api, key, body))
  await settledBooks(crash.stack.file, key, SETTLED_WITHIN_MS)
}

/** An order may lack the armed event: `killOrder`, `killAfterSale`. */
const ORDERS_TO_TRY = 3

/**
 * Sends orders until the armed process has died. An order may share a statement with an order that recovers from an earlier kill.
 * It then has no separate event, and the test sends another order.
 */
async function killOrder(point: Point, { name, user }: { name: string; user: string }) {
  for (let attempts = 1; ; attempts++) {
    const key = `${name}-${attempts}`
    const body = await bodyOf(api, point.kind, key, user)
    const killed = await kill(point, key, () => sendOrder(api, key, body))
    if (isEverythingKilled) await untilSettled(key, body)
    if (killed.isDead || attempts === ORDERS_TO_TRY) return { ...killed, key, body }
  }
}

/**
 * Refunds or cancels a captured order until the armed process has died. Its connections may still recover from the previous kill.
 * The orchestrator then repeats a command, and the events of the order have other numbers. The test then sends another order.
 */
async function killAfterSale(point: Point & { kind: AfterSale }, name: string) {
  for (let attempts = 1; ; attempts++) {
    const key = `${name}-${attempts}`
    const body = await bodyOf(api, point.kind, key, '')
    await warmUp(api)
    const response = await retry(() => sendOrder(api, key, body))
    await eventsOf(key)
    const change = { key, apiKey: response?.body.apiKey ?? '' }
    const killed = await kill(point, key, () => changeOrder(api, point.kind, change))
    if (killed.isDead || attempts === ORDERS_TO_TRY) return { ...killed, key, response, change }
  }
}

/** All tests begin at once and wait for their turns. With CRASH_EVERYTHING a turn takes 30 s on a slow machine. */
const TURN_WITHIN_MS = 1_200_000 + chosen.length * 60_000

describe.concurrent('crash at one event of an order', () => {
  test.each(numbered.filter(({ kind }) => !isAfterSale(kind)))(
    'a $kind order reaches its one correct end after a crash: $event',
    async ({ at, ...point }) => {
      const user = users[Math.floor(at / CARDS_A_USER)] ?? ''
      const { key, body, first, isDead } = await inTurn(() => killOrder(point, { name: `point-${at}`, user }))
      const killedAt = performance.now()
      expect(isDead).toBe(true)
      const firstResponse = await first
      const response = await retry(() => sendOrder(api, key, body))
      expect(firstResponse?.body.apiKey ?? response?.body.apiKey).toBe(response?.body.apiKey)
      await expectOneEnd(point, { key, response, killedAt })
      if (point.kind !== 'card') return
      const saved = (await cardsOf(api, user)).filter((card) => card === response?.body.card?.apiKey)
      expect(saved).toHaveLength(1)
    },
    TURN_WITHIN_MS,
  )

  test.each(numbered.filter(({ kind }) => isAfterSale(kind)))(
    'an order reaches its one correct end after a crash during its $kind: $event',
    async ({ at, ...given }) => {
      const point = { ...given, kind: given.kind as AfterSale }
      const { key, response, change, first, isDead } = await inTurn(() => killAfterSale(point, `point-${at}`))
      const killedAt = performance.now()
      expect(isDead).toBe(true)
      await first
      // The client repeats the change even after a response.
      expect(await retry(() => changeOrder(api, point.kind, change))).toBe(200)
      const settled = await expectOneEnd(point, { key, response, killedAt })
      const [order] = settled.orders
      const back = settled.ledger.filter(({ kind }) => kind === 'refund')
      expect([order?.cancelled, order?.refunds.map(({ state }) => state), back.length]).toEqual(
        point.kind === 'cancel' ? [true, [], 1] : [false, ['DONE'], 1],
      )
    },
    TURN_WITHIN_MS,
  )
})

test('no kill causes an error in the log', () => {
  const { logs } = crash.stack.file.data
  const errors = globSync('*.log', { cwd: logs }).flatMap((name) =>
    readFileSync(join(logs, name), 'utf8')
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line)),
  )
  expect(errors).toEqual([])
})
