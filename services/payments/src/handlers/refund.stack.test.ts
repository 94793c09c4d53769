import { cents, type Outcome } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { migratedDatabase } from '@platter/testkit'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { commandExecutor } from '#/command-executor.ts'
import { ARRIVED_AFTER_SECONDS, KEY_LASTS_SECONDS } from '#/domain/authorization.ts'
import type { ReadCharge, ReadDispute, ReadRefund } from '#/domain/charge-after-sale.ts'
import { refund } from '#/handlers/refund.ts'
import { release } from '#/handlers/release.ts'
import { chargeMirror } from '#/mirror-charges.ts'
import { refundExecutor } from '#/refund-executor.ts'
import { postgresAuthorizations } from '#/store/authorizations.ts'
import { postgresChargeMirrors } from '#/store/charge-mirrors.ts'
import { postgresPaymentRecords } from '#/store/payment-records.ts'
import { postgresRefunds } from '#/store/refunds.ts'
import { RefundingProcessor, type Fault } from '#/testing/refunding-processor.ts'

const log = createLog('test', 'silent')
const noLimits = { countDeclineOfToken: async () => undefined }
const TOTAL = 1_000
const postgres = await migratedDatabase('payments', 4)
/** A pool of connections for each replica. */
const pools = [postgres, connectPostgres(postgres.url, 4, log)] as const
afterAll(() => pools[1].close())

/** One replica of payments. */
function replica({ db }: Pick<Postgres, 'db'>, processor: RefundingProcessor) {
  const authorizations = postgresAuthorizations(db)
  const refunds = postgresRefunds(db)
  const execute = commandExecutor({ authorizations, processor, limits: noLimits, log })
  const executeRefund = refundExecutor({ refunds, processor, log })
  const deps = { authorizations, refunds, execute, executeRefund }
  return { authorizations, refunds, refund: refund(deps), release: release(deps) }
}

let orders = 0

/** An order with a charge, and two replicas. */
async function charged(faults: Fault[] = [], state = 'captured') {
  const orderApiKey = `o${++orders}`
  await sql`insert into authorizations (order_api_key, state, amount, token, processor_id)
    values (${orderApiKey}, ${state}, ${TOTAL}::integer, 't', 'pi_1')`.execute(pools[0].db)
  const processor = new RefundingProcessor(TOTAL, () => faults.shift() ?? 'none')
  const replicas = [replica(pools[0], processor), replica(pools[1], processor)] as const
  const reference = { orderApiKey, step: 'refund', undo: false, version: 1, attempt: 1 }
  const send = (name: string, amount: number, at = 0): Promise<Outcome | null> =>
    replicas[at % 2 === 0 ? 0 : 1].refund({
      ...reference,
      refund: `${orderApiKey}-${name}`,
      amount: cents(amount),
    })
  const cancel = (at = 0) => replicas[at % 2 === 0 ? 0 : 1].release(reference)
  const rowOf = (name: string) => replicas[0].refunds.find(`${orderApiKey}-${name}`)
  const authorization = () => replicas[0].authorizations.find(orderApiKey)
  const story = () => postgresPaymentRecords(pools[0].db).story(orderApiKey)
  /** Reads the charge with these refunds and disputes. `meanwhile` runs before the response of the processor. */
  const mirror = (read: Partial<ReadCharge>, meanwhile = async (): Promise<void> => undefined) => {
    const found = { id: 'pi_1', reference: orderApiKey, refunds: [], disputes: [], ...read }
    const reads = {
      charge: async () => (await meanwhile(), { kind: 'yes' as const, charge: found }),
      balanceTransactions: () => Promise.reject(new Error('not compared')),
    }
    const mirrors = postgresChargeMirrors(pools[0].db)
    return chargeMirror({ ...replicas[0], reads, mirrors, send: async () => undefined, log }).refresh('pi_1')
  }
  /** Reads the charge with the refunds that the processor has. */
  const compare = () => {
    const reads = {
      charge: async (id: string) => {
        const result = await processor.charge(id)
        if (result.kind !== 'yes' || !result.charge) throw new Error('the charge cannot be read')
        return { ...result, charge: { ...result.charge, reference: orderApiKey } }
      },
      balanceTransactions: () => Promise.reject(new Error('not compared')),
    }
    const mirrors = postgresChargeMirrors(pools[0].db)
    return chargeMirror({ ...replicas[0], reads, mirrors, send: async () => undefined, log }).refresh('pi_1')
  }
  /** Restores a backup from before the refunds of the order. */
  const restore = () =>
    sql`with restored as (delete from refunds where order_api_key = ${orderApiKey})
      update authorizations set refunded = 0 where order_api_key = ${orderApiKey}`.execute(pools[0].db)
  /** Sets the age of all refunds of the order. */
  const setAge = (seconds: number) =>
    sql`update refunds set created_at = now() - ${seconds} * interval '1 second'
      where order_api_key = ${orderApiKey}`.execute(pools[0].db)
  return { processor, send, cancel, rowOf, authorization, story, mirror, compare, restore, setAge }
}

/** A refund of the whole amount that has no `apiKey` of Platter. */
const aRefund = (amount: number, state: ReadRefund['state']) => ({
  refunds: [{ id: 're_9', key: null, amount: cents(amount), state, at: 1_700_000_000 }],
})
const wholeRefund = (state: ReadRefund['state']) => aRefund(TOTAL, state)

const isDone = { kind: 'done' }
const isRefused = { kind: 'refused', refusal: { code: 'refund-too-large' } }

test('a refund is made once after a lost response, and a redelivered command makes no call', async () => {
  const { processor, send, rowOf } = await charged(['response lost', 'request lost'])
  expect(await send('f1', 300)).toBeNull()
  expect(await rowOf('f1')).toMatchObject({ state: 'sent', processorId: null })
  expect(await send('f1', 300, 1)).toBeNull()
  expect(await send('f1', 300)).toEqual(isDone)
  expect(processor.refunds).toMatchObject([{ amount: 300 }])
  const { calls } = processor
  expect(await send('f1', 300, 1)).toEqual(isDone)
  expect(processor.calls).toBe(calls)
})

test('after 20 h, a look-up finds a refund as done; one that is not found an hour later has failed', async () => {
  const { processor, send, rowOf, setAge, authorization } = await charged(['response lost', 'request lost'])
  await send('f1', 300)
  await send('f2', 400)
  await setAge(KEY_LASTS_SECONDS + 60)
  expect(await send('f1', 300)).toEqual(isDone)
  expect(await send('f2', 400)).toBeNull()
  await setAge(ARRIVED_AFTER_SECONDS + 60)
  expect(await send('f2', 400)).toMatchObject(isRefused)
  expect(await rowOf('f2')).toMatchObject({ state: 'failed', failureCode: 'never_arrived' })
  expect(await authorization()).toMatchObject({ refunded: 300 })
  expect(processor.refunds).toHaveLength(1)
})

test('a pending refund has no reply until its result exists; a failure frees its amount', async () => {
  const { processor, send, rowOf, authorization } = await charged(['stays pending'])
  expect(await send('f1', TOTAL)).toBeNull()
  expect(await rowOf('f1')).toMatchObject({ state: 'sent', processorId: 're_0' })
  expect(await send('f1', TOTAL)).toBeNull()
  expect(await send('f2', 1)).toMatchObject(isRefused)
  processor.refunds[0]!.state = 'failed'
  expect(await send('f1', TOTAL)).toMatchObject(isRefused)
  expect(await rowOf('f1')).toMatchObject({ state: 'failed', failureCode: 'refund_failed' })
  expect(await send('f3', TOTAL)).toEqual(isDone)
  expect(await authorization()).toMatchObject({ state: 'refunded' })
})

test('a pending refund that the processor does not list stays open, and is not made again', async () => {
  const { processor, send, rowOf } = await charged(['stays pending'])
  await send('f1', 300)
  processor.refunds.length = 0
  expect(await send('f1', 300)).toBeNull()
  expect(await rowOf('f1')).toMatchObject({ state: 'sent' })
  expect(processor.refunds).toEqual([])
})

test('a release has no reply while a refund is open, and then refunds the remaining amount', async () => {
  const { processor, send, cancel, authorization } = await charged(['stays pending', 'request lost'])
  await send('f1', 300)
  await send('f2', 200)
  expect(await cancel()).toBeNull()
  expect(await send('f3', 100)).toMatchObject(isRefused)
  processor.refunds[0]!.state = 'failed'
  expect(await cancel(1)).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
  expect(processor.refunds.filter(({ state }) => state === 'done').map(({ amount }) => amount)).toEqual([
    200, 800,
  ])
  expect(await authorization()).toMatchObject({ state: 'refunded' })
})

test('a release of a fully refunded order makes no call', async () => {
  const { processor, send, cancel } = await charged()
  await send('f1', TOTAL)
  const { calls } = processor
  expect(await cancel()).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
  expect(processor.calls).toBe(calls)
})

test('a release refunds a charge whose whole refund at the processor was done and then failed', async () => {
  const { processor, cancel, mirror, authorization } = await charged()
  await mirror(wholeRefund('done'))
  expect(await authorization()).toMatchObject({ state: 'refunded' })
  await mirror(wholeRefund('failed'))
  expect(await cancel()).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
  expect(processor.refunded).toBe(TOTAL)
})

test.each(['captured', 'authorized'])(
  'a whole refund at the processor moves a charge that is %s here to refunded, but not while it is pending or lacks a cent',
  async (state) => {
    const { mirror, authorization } = await charged([], state)
    await mirror(aRefund(TOTAL - 1, 'done'))
    expect(await authorization()).toMatchObject({ state, refunded: TOTAL - 1 })
    await mirror(wholeRefund('pending'))
    expect(await authorization()).toMatchObject({ state, refunded: TOTAL })
    await mirror(wholeRefund('done'))
    expect(await authorization()).toMatchObject({ state: 'refunded' })
  },
)

test('a read that a later one has overtaken does not move the charge', async () => {
  const { mirror, authorization } = await charged()
  await mirror(wholeRefund('done'), () => mirror(wholeRefund('failed')))
  expect(await authorization()).toMatchObject({ state: 'captured' })
})

test('a refund from after a restored backup reduces the amount that can be refunded', async () => {
  const { processor, send, compare, restore, authorization } = await charged()
  await send('f1', 600)
  await compare()
  expect(await authorization(), 'each refund counts once').toMatchObject({ refunded: 600 })
  await restore()
  await compare()
  expect(await authorization()).toMatchObject({ refunded: 600 })
  expect(await send('f2', 401)).toMatchObject(isRefused)
  expect(processor.refunds).toHaveLength(1)
})

test('a release waits until a refund in the dashboard is read, without a dead letter', async () => {
  const { processor, cancel, compare, story } = await charged()
  processor.refunds.push({ id: 're_9', key: null, amount: cents(34), state: 'done', at: 0 })
  expect(await cancel()).toBeNull()
  expect(await story()).toMatchObject({ unknown: { call: 'refund' } })
  await compare()
  expect(await cancel()).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
  expect(processor.refunds.map(({ amount }) => amount)).toEqual([34, TOTAL - 34])
})

test('a release whose refund was read at the processor has no unknown outcome', async () => {
  const { cancel, mirror, story } = await charged(['response lost'])
  expect(await cancel()).toBeNull()
  expect(await story()).toMatchObject({ unknown: { call: 'refund' } })
  await mirror(wholeRefund('done'))
  expect(await cancel()).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
  expect(await story()).toMatchObject({ state: 'refunded', unknown: null })
})

test.each([
  ['all', TOTAL],
  ['a part', 400],
])(
  'a release has an unknown outcome until its dispute of %s is lost, because the processor refuses any refund',
  async (_, lost) => {
    const { processor, send, cancel, mirror, authorization, story } = await charged()
    await send('f1', 300)
    const refused = { kind: 'no', code: 'charge_disputed', declineCode: 'charge_disputed' } as const
    processor.refund = async () => refused
    const dispute = (state: ReadDispute['state']) => ({
      refunds: processor.refunds,
      disputes: [{ id: 'dp_1', state, amount: cents(lost), reason: 'fraudulent', at: 1, respondBy: null }],
    })
    await mirror(dispute('open'))
    expect(await cancel()).toBeNull()
    expect(await story()).toMatchObject({ unknown: { call: 'refund' } })
    await mirror(dispute('lost'))
    expect(await cancel()).toEqual({ kind: 'done', paymentState: 'REFUNDED' })
    expect(await story()).toMatchObject({ unknown: null })
    expect(await authorization()).toMatchObject({ state: 'refunded' })
  },
)

test('a lost dispute leaves the charge of an order captured, and only what it left can be refunded', async () => {
  const { send, mirror, authorization } = await charged()
  const disputes = [
    { id: 'dp_1', state: 'lost', amount: cents(300), reason: 'fraudulent', at: 1, respondBy: null },
  ] satisfies ReadDispute[]
  await mirror({ disputes })
  expect(await send('f1', TOTAL - 299)).toMatchObject(isRefused)
  expect(await send('f2', TOTAL - 300)).toMatchObject(isDone)
  expect(await authorization()).toMatchObject({ state: 'captured' })
})

test('refunds of the whole charge move it to refunded, and their failure back, also after a lost dispute', async () => {
  const { mirror, authorization } = await charged()
  const disputes = [
    { id: 'dp_1', state: 'lost', amount: cents(TOTAL), reason: 'fraudulent', at: 1, respondBy: null },
  ] satisfies ReadDispute[]
  for (const [end, state] of [
    ['done', 'refunded'],
    ['failed', 'captured'],
  ] as const) {
    await mirror({ ...wholeRefund(end), disputes })
    expect(await authorization()).toMatchObject({ state })
  }
})

const FAULTS: Fault[] = ['none', 'none', 'request lost', 'response lost', 'stays pending', 'refused']
const history = fc.record({
  amounts: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
  /** Indices of `amounts`; one more is a release. */
  commands: fc.array(fc.nat(5), { minLength: 2, maxLength: 12 }),
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 14 }),
  pendingFail: fc.boolean(),
})

test('interleaved refunds and a release on 2 replicas refund each part once, up to the charge', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ amounts, commands, faults: injected, pendingFail }) => {
      const faults = [...injected]
      const { processor, send, cancel, rowOf, authorization } = await charged(faults)
      const names = amounts.map((_, at) => `f${at}`)
      const run = (command: number, at: number) =>
        command < amounts.length ? send(`f${command}`, amounts[command]!, at) : cancel(at)
      await Promise.all(commands.map(run))
      // From now on no fault is injected. The saga repeats its commands.
      faults.length = 0
      for (const one of processor.refunds)
        if (one.state === 'pending') one.state = pendingFail ? 'failed' : 'done'
      for (const [at, amount] of amounts.entries()) expect(await send(`f${at}`, amount, at)).not.toBeNull()
      expect(processor.refunded).toBeLessThanOrEqual(TOTAL)
      const isReleased = commands.some((command) => command >= amounts.length)
      const released = isReleased ? await cancel() : null
      expect(released).toEqual(isReleased ? { kind: 'done', paymentState: 'REFUNDED' } : null)
      const refunded = isReleased ? TOTAL : processor.refunded
      const row = await authorization()
      expect({ refunded: processor.refunded, state: row?.state }).toEqual({
        refunded,
        state: refunded === TOTAL ? 'refunded' : 'captured',
      })
      const rows = await Promise.all(names.map(rowOf))
      const done = rows.filter((one) => one?.state === 'done')
      const parts = processor.refunds.filter(
        ({ state, key }) => state === 'done' && !key?.includes(':refund:'),
      )
      expect(Object.fromEntries(parts.map(({ key, amount }) => [key, amount]))).toEqual(
        Object.fromEntries(done.map((one) => [one?.apiKey, one?.amount])),
      )
      expect(new Set(processor.refunds.map(({ key }) => key)).size).toBe(processor.refunds.length)
    }),
    { numRuns: 80 },
  )
})
