import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspectArchive, readSnapshot, restoreArchive, writeArchive, type Restored } from '@platter/backup'
import { Reconciliation, type Mismatch, type Order } from '@platter/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { plainReporter } from '../../dev/progress.ts'
import { withClient } from '../../dev/servers/database.ts'
import { findServers } from '../../dev/servers/find.ts'
import { startStack, type Stack } from '../../dev/stack.ts'
import { Api, expectOk } from '../support/api.ts'
import { readBooks, settled, type LedgerLine } from '../support/books.ts'
import { card, seedRestaurants, PASSWORD, person, pickup } from '../support/fixtures.ts'
import { setProcessorFaults } from '../support/faults.ts'
import { sendSignal } from '../../dev/process/identity.ts'

/*
 * The test takes a backup while orders are in progress. The platform then finishes them, and places another order. A new machine
 * restores the archive. The payment processor and the restaurants keep their own records, like third parties.
 */

const root = fileURLToPath(new URL('../../.run/backup', import.meta.url))
const [first, second, file] = [join(root, 'first'), join(root, 'second'), join(root, 'platter.age')]
const keys = { passphrase: 'of this test only', workFactor: 10 }
const reporter = plainReporter((line) => process.stderr.write(`${line}\n`))
/** On the second machine the simulators have another port, and the links of the restaurants only after the seed. */
const env = { simulators: { STEP_MS: '300' }, orders: { TRANSMIT_DEADLINE_MS: '120000' } }

let stack: Stack
let restored: Restored
const api = new Api(() => stack.file)
const since = Math.floor(Date.now() / 1000)

/** Records from before the backup. */
const known = { email: '', order: '', bytes: '', user: '' }
/** Orders in progress at the snapshot, sorted by the progress of their sagas. */
const underWay = { unsent: '', expired: '', unanswered: '' }
/** An order from after the snapshot. */
let lost = ''

const statusOf = async (apiKey: string) => expectOk(await api.get<Order>(`order/${apiKey}`)).paymentState
const stop = () => stack.stop()

async function paidByCard(changes: Record<string, unknown>): Promise<string> {
  const body = pickup(seedRestaurants.aurora, await api.plainItem(seedRestaurants.aurora), {
    payment: 'card',
    card: card(),
    ...changes,
  })
  return expectOk(await api.sendOrder(body)).apiKey
}

async function placeKnownOrder(): Promise<void> {
  const body = person()
  const user = expectOk(await api.post<{ apiKey: string }>('register-user', body))
  known.email = body.email
  known.user = user.apiKey
  known.order = await paidByCard({ recipient: { apiKey: user.apiKey } })
  await vi.waitFor(
    async () => expect(expectOk(await api.get<Order>(`order/${known.order}`)).status).toBe('DELIVERED'),
    { timeout: 60_000, interval: 250 },
  )
  known.bytes = JSON.stringify(expectOk(await api.get<Order>(`order/${known.order}`)))
}

/** Places an order whose `authorize` command payments has not received: it has no row, and no effect at the processor. */
async function placeUnsent(savedCard: string): Promise<string> {
  return paidByCard({ recipient: { apiKey: known.user }, card: { apiKey: savedCard } })
}

async function placeOpenOrders(): Promise<void> {
  const saved = expectOk(await api.post<{ apiKey: string }>(`user/${known.user}/add-card`, card())).apiKey
  // The processor authorizes the order and sends no response.
  await setProcessorFaults(stack.file, [{ fault: 'drop-reply', on: ['authorize'], probability: 1 }])
  underWay.unanswered = await paidByCard({})
  for (const pid of stack.pids('payments')) sendSignal(pid, 'SIGSTOP')
  ;[underWay.unsent, underWay.expired] = await Promise.all([placeUnsent(saved), placeUnsent(saved)])
}

/** Orders continue after the snapshot: the processor charges the orders in progress, and a new order. */
async function continueAfterSnapshot(): Promise<void> {
  await setProcessorFaults(stack.file, [])
  for (const pid of stack.pids('payments')) sendSignal(pid, 'SIGCONT')
  lost = await paidByCard({})
  await settled(stack)
  expect(await Promise.all([...Object.values(underWay), lost].map(statusOf))).toEqual(
    Array(4).fill('CHARGED'),
  )
}

/** Starts a new machine with the secrets of the archive. The third parties keep their files. */
async function restoreOnNewMachine(): Promise<void> {
  const { ledger, receipts } = stack.file.data
  await stop()
  mkdirSync(second, { recursive: true })
  copyFileSync(ledger, join(second, 'ledger.jsonl'))
  copyFileSync(receipts, join(second, 'receipts.jsonl'))
  // The launcher reads its secrets before it starts a server.
  for (const { name, content } of (await inspectArchive(file, keys)).files)
    writeFileSync(join(second, name), content)
  stack = await startStack({
    runDirectory: second,
    reporter,
    env,
    find: async (context) => {
      const servers = await findServers(context)
      restored = await restoreArchive(file, keys, { databaseUrl: servers.postgres.url })
      await expire(servers.postgres.url, underWay.expired)
      return servers
    },
  })
}

/** Simulates a restore that takes longer than the deadline of a saga, and than the retry delay of all sagas. */
const expire = (url: string, orderApiKey: string) =>
  withClient(url, async (client) => {
    await client.query('update orders.sagas set wake_at = now() where finished_at is null')
    await client.query(
      `update orders.sagas set deadline_at = now() - interval '1 hour' where order_api_key = $1`,
      [orderApiKey],
    )
  })

beforeAll(async () => {
  rmSync(root, { recursive: true, force: true })
  stack = await startStack({ runDirectory: first, reporter, fresh: true, env })
  await placeKnownOrder()
  await placeOpenOrders()
  const files = [{ name: 'secrets.json', content: readFileSync(join(first, 'secrets.json')) }]
  await writeArchive(file, keys, readSnapshot({ databaseUrl: stack.file.urls.postgres, files }))
  await continueAfterSnapshot()
  await restoreOnNewMachine()
}, 300_000)
afterAll(stop, 60_000)

const linesOf = async (orderApiKey: string): Promise<LedgerLine[]> =>
  (await readBooks(stack.file)).ledger.filter(({ reference }) => reference === orderApiKey)
const kindsOf = async (orderApiKey: string) => (await linesOf(orderApiKey)).map(({ kind }) => kind)

test('a restored user signs in with the old password, and a restored order has the same bytes', async () => {
  expect((await api.post('signin', { email: known.email, password: PASSWORD })).status).toBe(200)
  expect(JSON.stringify(expectOk(await api.get(`order/${known.order}`)))).toBe(known.bytes)
})

test('the report of a restore names the orders in progress at the snapshot', () => {
  expect(restored.openOrders.map(({ orderApiKey }) => orderApiKey).toSorted()).toEqual(
    Object.values(underWay).toSorted(),
  )
})

test('restored sagas complete with the charges since the snapshot, and charge each order once', async () => {
  expect(await settled(stack)).toBe(true)
  for (const order of [underWay.unanswered, underWay.unsent]) {
    expect([order, await statusOf(order)]).toEqual([order, 'CHARGED'])
    expect(await kindsOf(order)).toEqual(['authorize', 'capture'])
  }
})

test('a restored saga that is past its deadline refunds the charge since the snapshot', async () => {
  expect(await settled(stack)).toBe(true)
  expect(await statusOf(underWay.expired)).toBe('REFUNDED')
  expect(await kindsOf(underWay.expired)).toEqual(['authorize', 'capture', 'refund'])
})

test('the reconciliation names exactly the charged order that the snapshot lacks', async () => {
  await settled(stack)
  const { body } = await api.operator<{ mismatches: Mismatch[] }>('GET', `reconciliation?since=${since}`)
  expect(Reconciliation.response.safeParse(body).success).toBe(true)
  expect(body.mismatches.map(({ orderApiKey, rule }) => [orderApiKey, rule])).toEqual([
    [lost, 'charge-without-order'],
  ])
})

test('a new order has a number above those of the lost orders, and is charged', async () => {
  const before = expectOk(await api.get<Order>(`order/${known.order}`)).id ?? 0
  const order = await paidByCard({})
  await settled(stack)
  const { id, paymentState } = expectOk(await api.get<Order>(`order/${order}`))
  expect([paymentState, (id ?? 0) > before + 10_000]).toEqual(['CHARGED', true])
})
