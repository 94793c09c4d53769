import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsOf } from '../support/invariants.ts'
import { CrashStack } from './crash-stack.ts'
import { Client, SharedBooks, type Answer } from './orders.ts'
import { chosenPoints, KINDS, points, writePoints, type Point, type Points } from './points.ts'

const { chosen, summary } = chosenPoints()

let crash: CrashStack
let client: Client
let books: SharedBooks
/** A user may have 20 cards, and each card order saves one. */
const users: string[] = []
const CARDS_A_USER = 15

beforeAll(async () => {
  process.stderr.write(`  crash points: ${summary}\n`)
  crash = await CrashStack.start()
  client = new Client(crash.stack.file)
  books = new SharedBooks(crash.stack.file)
  for (let cards = 0; cards <= chosen.length; cards += CARDS_A_USER) users.push(await client.register())
}, 180_000)

afterAll(async () => {
  for (const { ms, what } of recoveries.toSorted((one, other) => other.ms - one.ms).slice(0, 5))
    process.stderr.write(`  among the slowest to settle: ${ms} ms, ${what}\n`)
  await crash.stack.stop()
}, 60_000)

/** The events of an order are complete when none was added for this time. */
const QUIET_MS = 1_000

async function record(round: number): Promise<Points> {
  const recorded: Partial<Points> = {}
  for (const kind of KINDS) {
    const key = `undisturbed-${kind}-${round}`
    await client.warmUp()
    await client.send(key, `crash-${key}`, await client.bodyOf(kind, key, users[0] ?? ''))
    await books.settled(key, 10_000)
    let seen = -1
    let events: string[] = []
    while (events.length > seen) {
      seen = events.length
      await wait(QUIET_MS)
      events = crash.eventsOf(`crash-${key}`)
    }
    recorded[kind] = events
  }
  return recorded as Points
}

let rounds = 0

// On a busy machine a reply may come so late that a command is republished.
test(
  'an undisturbed order has exactly the events of the golden list',
  { retry: 2, timeout: 60_000 },
  async () => {
    const recorded = await record(rounds++)
    if (process.env['CRASH_RECORD'] === 'true') writePoints(recorded)
    const golden = points()
    // Concurrent events of different processes have no order.
    for (const kind of KINDS) expect(recorded[kind].toSorted()).toEqual(golden[kind].toSorted())
  },
)

/** Kills one process at a time. Orders may still recover while the next process is killed. */
let turn: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work)
  turn = mine.catch(() => 'reported by its own test')
  return mine
}

/** Sends the order until the armed process has died and was replaced. */
async function kill({ kind, event, service }: Point, key: string, user: string) {
  const body = await client.bodyOf(kind, key, user)
  await client.warmUp()
  const pid = crash.readyPid(service)
  crash.arm(`crash-${key}`, event)
  const dying = crash.fired(15_000)
  const first = sendUntil(dying, key, body)
  const isDead = await dying
  crash.disarm()
  deaths.push(`${key}: ${event}`)
  const isBack = isDead && (await crash.replaced(service, pid, 30_000))
  return { body, first, death: { isDead, isBack } }
}

/** The test before may have cut connections between services: then the order has not begun, and is sent again. */
async function sendUntil(dying: Promise<boolean>, key: string, body: object): Promise<Answer> {
  const state = { isOver: false }
  void dying.then(() => (state.isOver = true))
  for (;;) {
    const answer = await client.send(key, `crash-${key}`, body)
    if (answer || state.isOver) return answer
    await wait(100)
  }
}

/** The kills so far, in order: an order may still be in progress during the next kill. */
const deaths: string[] = []
const recoveries: { ms: number; what: string }[] = []

describe.concurrent('an order reaches its one correct end when', () => {
  test.each(chosen.map((point, at) => ({ ...point, at })))(
    'a $kind order is hit $event',
    async ({ at, ...point }) => {
      const key = `point-${at}`
      const user = users[Math.floor(at / CARDS_A_USER)] ?? ''
      const { body, first, death } = await inTurn(() => kill(point, key, user))
      const killedAt = performance.now()
      expect(death).toEqual({ isDead: true, isBack: true })
      const answered = await first
      const answer = await client.retry(key, body)
      expect(answered?.order.apiKey ?? answer?.order.apiKey).toBe(answer?.order.apiKey)
      const settled = await books.settled(key, 60_000)
      recoveries.push({
        ms: Math.round(performance.now() - killedAt),
        what: `${point.kind}, ${point.event}`,
      })
      const violations = violationsOf([await client.entryOf(key, point.kind, answer)], settled)
      const since = deaths.slice(deaths.indexOf(`${key}: ${point.event}`)).join('\n')
      expect(
        violations,
        `deaths since:\n${since}\nits events:\n${crash.eventsOf(`crash-${key}`).join('\n')}`,
      ).toEqual([])
      if (point.kind !== 'card') return
      const saved = (await client.cardsOf(user)).filter((card) => card === answer?.order.card?.apiKey)
      expect(saved).toHaveLength(1)
    },
    1_200_000,
  )
})

test('no kill led to an error in the log', () => {
  const { logs } = crash.stack.file.data
  const errors = globSync('*.log', { cwd: logs }).flatMap((name) =>
    readFileSync(join(logs, name), 'utf8')
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line)),
  )
  expect(errors).toEqual([])
})
