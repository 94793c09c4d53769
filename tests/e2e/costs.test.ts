import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { person } from './accounts.ts'
import {
  anOrder,
  card,
  seedRestaurants,
  eventually,
  get,
  home,
  post,
  register,
  sendOrder,
  type ClientResponse,
} from './client.ts'
import { setUpOwnStack } from './stack.ts'
import { COSTS_FILE, costsOf, isWhole, kinds, readTable, writeTable, type Costs } from './costs.ts'
import { newTrace, outline, Receiver } from './otlp.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

const BETWEEN = /(<!-- costs -->\n)[\s\S]*(<!-- \/costs -->)/
const isRecording = process.env['RECORD_COSTS'] !== undefined

/** Requests of each operation. Concurrent statements may be shared with an order of another test. */
const REPETITIONS = 5
/** Three times the export delay of a process for its spans (stack.setup.ts). */
const QUIET_MS = 1_500

type Traced = { headers: { traceparent: string } }
type Operation = (traced: Traced, at: number) => Promise<ClientResponse<unknown>>

const receiver = new Receiver()
const traces = new Map<string, string[]>()
let expected: Record<string, Costs> = {}

const menu = (apiKey: string, { headers }: Traced, more = {}) =>
  get(`restaurant/${apiKey}/menu?includeCustomizations=true`, { headers: { ...headers, ...more } })

async function operations(): Promise<Record<string, Operation>> {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.aurora)),
    recipient: { apiKey: user.apiKey },
  })
  const { body: saved } = await post<{ apiKey: string }>(`user/${user.apiKey}/add-card`, card())
  const fresh = await Promise.all(Array.from({ length: REPETITIONS }, () => aRestaurant({}, [menuItem(10)])))
  const etag = (await menu(seedRestaurants.aurora, { headers: newTrace(false) })).headers.get('etag') ?? ''
  const cash = await anOrder(seedRestaurants.aurora)
  const paid = { ...cash, payment: 'card' }
  const delivered = { ...cash, method: 'delivery', recipient: { apiKey: user.apiKey } }
  return {
    'menu, first time': (traced, at) => menu(fresh[at]!, traced),
    menu: (traced) => menu(seedRestaurants.aurora, traced),
    'menu, 304': (traced) => menu(seedRestaurants.aurora, traced, { 'if-none-match': etag }),
    restaurant: (traced) => get(`restaurant/${seedRestaurants.aurora}`, traced),
    search: (traced) => get('restaurant/search?street-address=2+E+Main+St,+Madison,+WI+53703', traced),
    'validate-order': (traced) => post('validate-order', cash, traced),
    'send-order, cash': (traced) => sendOrder(cash, traced),
    'send-order, card': (traced) => sendOrder({ ...paid, card: { apiKey: null, ...card() } }, traced),
    'send-order, card, key': (traced) =>
      sendOrder(
        { ...paid, card: { apiKey: null, ...card() } },
        { headers: { ...traced.headers, 'idempotency-key': crypto.randomUUID() } },
      ),
    "send-order, user's card": (traced) =>
      sendOrder({ ...paid, recipient: { apiKey: user.apiKey }, card: { apiKey: saved.apiKey } }, traced),
    'send-order, new address': (traced) =>
      sendOrder({ ...delivered, address: { apiKey: null, ...home } }, traced),
    'send-order, declined': (traced) =>
      sendOrder({ ...paid, card: { apiKey: null, ...card('4000000000000002') } }, traced),
    'get-order': (traced) => get(`order/${order.apiKey}`, traced),
    'order statuses': (traced) => get(`order/${order.apiKey}/statuses`, traced),
    'order history': (traced) => get(`user/${user.apiKey}/orders`, traced),
    'register-user': (traced) => post('register-user', person(), traced),
    'get-user': (traced) => get(`user/${user.apiKey}`, traced),
    'add-card': (traced) => post(`user/${user.apiKey}/add-card`, card(), traced),
    'add-address': (traced) => post(`user/${user.apiKey}/add-address`, home, traced),
  }
}

setUpOwnStack(async () => {
  await receiver.listen()
  expected = readTable(await readFile(COSTS_FILE, 'utf8'))
  // Orders run in sequence, because concurrent orders share statements. Other operations run concurrently.
  const all = Object.entries(await operations())
  for (const [name] of all) traces.set(name, [])
  const [sent, others] = [true, false].map((isSent) =>
    all.filter(([name]) => name.startsWith('send-') === isSent),
  )
  const sequential = async () => {
    for (let at = 0; at < REPETITIONS; at++)
      for (const [name, operation] of sent ?? []) await runOnce(name, operation, at)
  }
  const concurrent = (others ?? []).map(async ([name, operation]) => {
    for (let at = 0; at < REPETITIONS; at++) await runOnce(name, operation, at)
  })
  await Promise.all([sequential(), ...concurrent])
})

async function runOnce(name: string, operation: Operation, at: number): Promise<void> {
  const { traceId, traceparent } = newTrace()
  const { status, body } = await operation({ headers: { traceparent } }, at)
  if (status !== (expectedStatus[name] ?? 200)) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
  traces.get(name)?.push(traceId)
}
afterAll(() => receiver.close())

const expectedStatus: Readonly<Record<string, number>> = { 'menu, 304': 304, 'send-order, declined': 402 }

const spansOf = (name: string) => (traces.get(name) ?? []).map((traceId) => receiver.spans(traceId))

/** Returns the costs of one kind in each complete trace, in ascending order. */
const seriesOf = (name: string, kind: keyof Costs) =>
  spansOf(name)
    .filter(isWhole)
    .map((spans) => costsOf(spans)[kind])
    .toSorted((one, other) => one - other)

/**
 * Returns the lowest costs by kind, or the highest during a recording. They vary: a reply may or may not reach the replica with the
 * row in memory, and a statement may be shared.
 */
const costs = (name: string): Costs =>
  Object.fromEntries(kinds.map((kind) => [kind, seriesOf(name, kind).at(isRecording ? -1 : 0) ?? 0])) as Costs

/** Returns the costs above their limit. */
const costsAboveLimit = (name: string): string[] =>
  kinds
    .filter((kind) => costs(name)[kind] > (expected[name]?.[kind] ?? 0))
    .map((kind) => `${name}: ${costs(name)[kind]} ${kind}, at most ${expected[name]?.[kind]}`)

test('no operation takes more commits, statements, messages, commands or calls than recorded', async () => {
  const names = [...traces.keys()]
  await eventually(
    async () => names.flatMap(spansOf),
    (all) => all.every(isWhole),
    // A trace that shares a message with another one is never complete.
    5_000,
  )
  // Processes export the last span at the end.
  await wait(isRecording ? 4 * QUIET_MS : QUIET_MS)
  if (isRecording) expected = await record(Object.fromEntries(names.map((name) => [name, costs(name)])))
  expect(names.filter((name) => !spansOf(name).some(isWhole))).toEqual([])
  for (const name of names)
    expect(costsAboveLimit(name), `${outline(spansOf(name)[0] ?? []).join('\n')}\n`).toEqual([])
  expect(Object.keys(expected)).toEqual(names)
})

/** Writes the table, and returns it in the form of the next read. */
async function record(found: Record<string, Costs>): Promise<Record<string, Costs>> {
  const page = (await readFile(COSTS_FILE, 'utf8')).replace(
    BETWEEN,
    (_, before: string, after: string) => `${before}\n${writeTable(found)}\n\n${after}`,
  )
  await writeFile(COSTS_FILE, page)
  return readTable(page)
}
