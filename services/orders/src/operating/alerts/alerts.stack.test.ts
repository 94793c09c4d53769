import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  cents,
  FindCharges,
  PaymentIncidents,
  ReadCharges,
  ReadPaymentRows,
  type Charge,
} from '@platter/contracts'
import { createLog, type Db } from '@platter/kit'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { migratedDatabase } from '@platter/testkit'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Channel } from '#/operating/alerts/channel.ts'
import { compareIncidents } from '#/operating/alerts/compare-incidents.ts'
import { deliverAlerts } from '#/operating/alerts/deliver-alerts.ts'
import { emailChannel } from '#/operating/alerts/outside/email.ts'
import { webhookChannel } from '#/operating/alerts/outside/webhook.ts'
import type { Deps as Incidents } from '#/operating/incident-sources.ts'
import { readAttention } from '#/operating/incidents.ts'
import { reconcileDaily } from '#/operating/reconcile-daily.ts'
import { PostgresAlerts } from '#/store/alerts.ts'
import { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import { postgresStores } from '#/store/stores.ts'

/* Alerts of two replicas to a real webhook receiver and a real mail server. Tests move the times of rows back. */

const log = createLog('test', 'fatal')
const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`

type Received = { id: string; body: { type: string; data: { kind: string; count: number; open: number } } }
type Mail = { id: string; subject: string; to: string[]; body: string }

const { db, url: database } = await migratedDatabase('orders', 4)
/** The connections of the other replica. */
const other = connectPostgres(database, 4, log)
let replicas: ReturnType<typeof replicaOf>[]
let channels: Channel[]
let receiver: HttpServer
let mailServer: SMTPServer
let received: Received[]
let mails: Mail[]
let status: number
let charges: Charge[]
let isPaymentsUp: boolean

/** Payments, with the charges of the processor that the test sets. */
const payments = (async (operation: unknown) => {
  if (!isPaymentsUp) throw new Error('payments is unavailable')
  if (operation === PaymentIncidents) return { incidents: [] }
  if (operation === ReadPaymentRows) return { rows: [] }
  if (operation === ReadCharges) return { charges, after: null }
  if (operation === FindCharges) return { charges: [] }
  throw new Error('unexpected operation')
}) as unknown as Incidents['payments']

const replicaOf = (own: Db) => ({
  ...postgresStores(own),
  alerts: new PostgresAlerts(own),
  scheduledRuns: new PostgresScheduledRuns(own),
  payments,
  bus: { ask: (async () => ({ restaurants: [] })) as never },
  startWithinMs: 900_000,
  stopping: new AbortController().signal,
  channels,
  log,
})

beforeAll(async () => {
  receiver = await startHttpServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as Record<string, string>
      new Webhook(secret).verify(body, headers)
      received.push({ id: headers['webhook-id'] ?? '', body: JSON.parse(body) as Received['body'] })
      response.writeHead(status).end()
    })
  })
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      void text(stream).then((message) => {
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'mi').exec(message)?.[1]?.trim() ?? ''
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ id: header('Message-ID'), subject: header('Subject'), to, body: message })
        done()
      })
    },
  })
  const listening = mailServer.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  channels = [
    webhookChannel({ url: `${receiver.url}/alerts`, secret }),
    emailChannel({
      url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
      from: 'Platter <platter@example.com>',
      to: 'operator@example.com, second@example.com',
    }),
  ]
  replicas = [db, other.db].map(replicaOf)
})
afterAll(async () => {
  await Promise.all([...channels, other].map((one) => one.close()))
  await receiver.close()
  await new Promise<void>((done) => mailServer.close(done))
})
beforeEach(async () => {
  ;[received, mails, status, charges, isPaymentsUp] = [[], [], 200, [], true]
  await sql`truncate alerts, alert_deliveries, known_incidents, dead_letters, reconciliation_mismatches`.execute(
    db,
  )
})

const deadLetter = (orderApiKey: string) =>
  replicas[0]!.incidents.storeDeadLetter({
    command: 'payments.capture',
    orderApiKey,
    step: 'capture',
    content: Buffer.from('{"card":"4242424242424242"}'),
    requestId: 'q',
    reason: 'cannot be parsed',
  })

const makeDue = (name: string) =>
  sql`update scheduled_runs set due_at = now() where name = ${name}`.execute(db)

/** Makes one comparison due. Both replicas then compare and deliver concurrently. */
async function runRound(): Promise<void> {
  await makeDue('compare incidents')
  await Promise.all(replicas.map((one) => compareIncidents(one)))
  await deliver()
}

const deliver = () =>
  Promise.all(
    replicas.map(async (one) => {
      while (await deliverAlerts(one));
    }),
  )

const passTime = async (seconds: number): Promise<void> => {
  const by = sql`${seconds}::float8 * interval '1 second'`
  await sql`update alerts set created_at = created_at - ${by}`.execute(db)
  await sql`update alert_deliveries set due_at = due_at - ${by}`.execute(db)
}

test('two replicas send one alert by each channel when an incident begins, and one when it ends', async () => {
  await deadLetter('o1')
  for (let rounds = 0; rounds < 3; rounds++) await runRound()
  expect(received.map(({ body }) => body)).toMatchObject([
    { type: 'incident.began', data: { kind: 'dead-letter', count: 1, open: 1 } },
  ])
  expect(mails).toMatchObject([
    {
      id: `<${received[0]?.id}@example.com>`,
      subject: 'Platter: dead-letter, 1 began, 1 open',
      to: ['operator@example.com', 'second@example.com'],
    },
  ])
  expect(JSON.stringify([received, mails])).not.toContain('4242')

  await sql`delete from dead_letters`.execute(db)
  for (let rounds = 0; rounds < 3; rounds++) await runRound()
  expect(received.map(({ body }) => body.type)).toEqual(['incident.began', 'incident.ended'])
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Platter: dead-letter, 1 began, 1 open',
    'Platter: dead-letter, 1 ended, 0 open',
  ])
})

test('an incident that recurs is alerted again', async () => {
  for (let time = 0; time < 2; time++) {
    await deadLetter('o1')
    await runRound()
    await sql`delete from dead_letters`.execute(db)
    await passTime(61)
    await runRound()
    await passTime(61)
  }
  expect(received.map(({ body }) => body.type)).toEqual([
    'incident.began',
    'incident.ended',
    'incident.began',
    'incident.ended',
  ])
})

test('500 incidents become one alert with their count; later ones are alerted after a minute', async () => {
  await sql`insert into dead_letters (id, command, content, request_id, reason)
    select 'burst' || n, 'c', '', 'q', 'r' from generate_series(1, 500) n`.execute(db)
  await runRound()
  for (const orderApiKey of ['late-1', 'late-2', 'late-3']) {
    await deadLetter(orderApiKey)
    await runRound()
  }
  expect(received.map(({ body }) => body.data.count)).toEqual([500])
  await passTime(61)
  await runRound()
  expect(received.map(({ body }) => body.data)).toMatchObject([{ count: 500 }, { count: 3, open: 503 }])
})

test('a rejected alert is retried with the same id by its channel only, and is an incident', async () => {
  status = 500
  await deadLetter('o1')
  await runRound()
  await runRound()
  expect([received.length, mails.length]).toEqual([1, 1])
  await passTime(700)
  await deliver()
  await runRound()
  const listed = await readAttention(replicas[0]!, { before: null, limit: 5 }, { requestId: 'q' })
  expect(listed.find(({ item }) => item.id === 'alert_webhook')?.item).toMatchObject({
    id: 'alert_webhook',
    kind: 'alert-undelivered',
    reason: 'status 500',
    count: 2,
  })
  status = 200
  await passTime(100)
  await deliver()
  const begun = received.filter(({ body }) => body.data.kind === 'dead-letter')
  expect(new Set(begun.map(({ id }) => id)).size).toBe(1)
  expect(begun).toHaveLength(3)
  expect(mails.filter(({ subject }) => subject.includes('dead-letter'))).toHaveLength(1)
})

const kindsOf = async (deps: Incidents) =>
  (await readAttention(deps, { before: null, limit: 5 }, { requestId: 'q' })).map(({ item }) => item.kind)

test('a rejected alert is no incident after its channel is removed from the configuration', async () => {
  status = 500
  await deadLetter('o1')
  await runRound()
  await passTime(700)
  const [configured] = replicas as [(typeof replicas)[0]]
  const onlyEmail = { ...configured, channels: channels.filter(({ name }) => name === 'email') }
  expect((await kindsOf(configured)).toSorted()).toEqual(['alert-undelivered', 'dead-letter'])
  expect(await kindsOf(onlyEmail)).toEqual(['dead-letter'])
})

async function compareWithoutChannels(): Promise<void> {
  await makeDue('compare incidents')
  await compareIncidents({ ...replicas[0]!, channels: [] })
}

test('a channel added later receives an alert of the open incidents, and none of ended ones', async () => {
  await deadLetter('ended')
  await runRound()
  await deadLetter('ended unseen')
  await compareWithoutChannels()
  await sql`delete from dead_letters`.execute(db)
  await deadLetter('open')
  await compareWithoutChannels()
  received.length = 0
  await passTime(61)
  await runRound()
  expect(received.map(({ body }) => [body.type, body.data.count, body.data.open])).toEqual([
    ['incident.began', 1, 1],
  ])
})

test('the alert of an end follows the successful delivery of the alert of its beginning', async () => {
  status = 500
  await deadLetter('o1')
  await runRound()
  await sql`delete from dead_letters`.execute(db)
  await runRound()
  expect(received.map(({ body }) => body.type)).toEqual(['incident.began'])
  status = 200
  await passTime(60)
  await deliver()
  expect(received.map(({ body }) => body.type)).toEqual([
    'incident.began',
    'incident.began',
    'incident.ended',
  ])
})

test('a crash between the response and its commit repeats the alert with the same id', async () => {
  await deadLetter('o1')
  await makeDue('compare incidents')
  await compareIncidents(replicas[0]!)
  const crashed = await replicas[0]!.alerts.leaseDeliveries(['webhook', 'email'], 5)
  for (const { alert, channel } of crashed) await channels.find(({ name }) => name === channel)?.send(alert)
  await deliver()
  expect([received.length, mails.length]).toEqual([1, 1])
  await passTime(60)
  await deliver()
  expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id])
  expect(mails.map(({ id }) => id)).toEqual([mails[0]?.id, mails[0]?.id])
})

test('while payments is unavailable other incidents are alerted', async () => {
  isPaymentsUp = false
  await deadLetter('o1')
  await runRound()
  expect(received.map(({ body }) => body.data.kind)).toEqual(['dead-letter'])
})

test('the daily reconciliation runs on one replica, and its mismatch is an incident until the books balance', async () => {
  const reconcileBoth = async () => {
    await makeDue('reconcile')
    await Promise.all(replicas.map((one) => reconcileDaily(one)))
  }
  charges = [{ id: 'ch_1', reference: 'absent', amount: cents(500), refunded: cents(0), status: 'captured' }]
  await reconcileBoth()
  const { rows } = await sql`select version, finished_at > now() - interval '1 minute' as finished,
    due_at > now() + interval '23 hours' as tomorrow from scheduled_runs where name = 'reconcile'`.execute(db)
  expect(rows).toEqual([{ version: 1, finished: true, tomorrow: true }])
  const [listed] = await readAttention(replicas[0]!, { before: null, limit: 5 }, { requestId: 'q' })
  expect(listed?.item).toMatchObject({ kind: 'reconciliation-mismatch', orderApiKey: 'absent' })
  await reconcileBoth()
  await runRound()
  expect(received.map(({ body }) => body.data)).toMatchObject([{ kind: 'reconciliation-mismatch', count: 1 }])
  charges = []
  await reconcileBoth()
  await runRound()
  expect(received.map(({ body }) => body.type)).toEqual(['incident.began', 'incident.ended'])
})

test('a reconciliation that has not ended for 30 hours is an incident until one ends', async () => {
  const sinceLast = async (hours: number) => {
    await sql`update scheduled_runs set finished_at = now() - ${hours} * interval '1 hour' where name = 'reconcile'`.execute(
      db,
    )
    const listed = await readAttention(replicas[0]!, { before: null, limit: 5 }, { requestId: 'q' })
    return listed.map(({ item }) => ({ id: item.id, kind: item.kind }))
  }
  expect(await sinceLast(29)).toEqual([])
  const overdue = { id: 'reconciliation_reconcile', kind: 'reconciliation-overdue' }
  expect(await sinceLast(31)).toEqual([overdue])
  await makeDue('reconcile')
  await runRound()
  await reconcileDaily(replicas[0]!)
  await runRound()
  expect(received.map(({ body }) => [body.type, body.data.kind])).toEqual([
    ['incident.began', overdue.kind],
    ['incident.ended', overdue.kind],
  ])
})
