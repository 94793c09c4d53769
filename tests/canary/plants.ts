import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bus } from '@platter/bus'
import { PaymentsCapture } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { until } from '../../dev/process/wait.ts'
import { withClient } from '../../dev/servers/database.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Canaries } from './canaries.ts'
import type { Found } from './places.ts'
import { sendToRedis } from './recorder.ts'

/** A canary, and a file in which the search must find it. */
export type Plant = { what: string; where: RegExp }

const REQUEST_ID = 'planted'

/**
 * The write-ahead log has a header every 8 KiB (PostgreSQL, src/include/access/xlog_internal.h). With one copy, a header split the
 * number in 1 run of 500, and the search missed it. A header can split at most one of two copies.
 */
const twice = (number: string): string => `${number} ${'-'.repeat(100)} ${number}`

const ROWS = /\/rows of public\.planted$/
const DATABASE = /postgres\/data\/base\//
const LOG_OF_DATABASE = /\/pg_wal\//

/**
 * Plants a canary on purpose in each searched place. If the search does not find each of them, it cannot read that place, and its
 * result proves nothing.
 */
export async function plant({ urls, data }: StackFile, otlp: string, canaries: Canaries): Promise<Plant[]> {
  const plants: Plant[] = []
  const numberIn = (name: string, ...places: RegExp[]): string => {
    plants.push(...places.map((where) => ({ what: `card number: planted as ${name}`, where })))
    return canaries.number(`planted as ${name}`)
  }
  await withClient(urls.postgres, async (client) => {
    await client.query('create table public.planted (value text)')
    await client.query('alter table public.planted alter value set storage external')
    const insert = (value: string) => client.query('insert into public.planted values ($1)', [value])
    // Longer than a page, and compressible.
    const long = twice(numberIn('a long row', ROWS, DATABASE, LOG_OF_DATABASE))
    await insert('a'.repeat(9_000) + long + 'b'.repeat(9_000))
    await insert(`gone: ${twice(numberIn('a row that is deleted', LOG_OF_DATABASE))}`)
    await client.query(`delete from public.planted where value like 'gone%'`)
    const { holder, cvv } = canaries.card('planted in a row', '')
    plants.push({ what: 'cvv: planted in a row', where: ROWS })
    await insert(`${holder}, ${cvv}`)
  })
  const line = `{"msg":"${numberIn('a log line', /\/logs\/orders\.log$/)}"}\n`
  appendFileSync(join(data.logs, 'orders.log'), line)
  // Also compressible.
  const value = 'a'.repeat(500) + numberIn('a value in Redis', /redis-commands/, /dump\.rdb$/)
  await sendToRedis(urls.redis, `SET planted ${value}`)
  await publishDeadLetter(urls, numberIn('a message', /\/rabbitmq\//, /orders\.dead_letters$/))
  await fetch(otlp, { method: 'POST', body: numberIn('a span', /otlp/) })
  return plants
}

/** The consumer cannot parse this command. It rejects the message and stores it as a dead letter. */
async function publishDeadLetter({ rabbitmq, postgres }: StackFile['urls'], number: string): Promise<void> {
  const bus = new Bus({ url: rabbitmq, service: 'canary', log: createLog('canary', 'fatal') })
  await bus.start()
  const content = Buffer.from(JSON.stringify({ number }))
  await bus.republish(PaymentsCapture, { content, requestId: REQUEST_ID })
  await bus.close()
  const deadLetters = `select from orders.dead_letters where request_id = '${REQUEST_ID}'`
  const isDead = () =>
    withClient(postgres, async (client) => (await client.query(deadLetters)).rowCount === 1)
  await until(isDead, { what: 'The dead letter', withinMs: 15_000 })
}

export const isPlanted = (plants: readonly Plant[], { what }: Found): boolean =>
  plants.some((one) => one.what === what)

/** Returns the places in which the search found no planted canary. */
export const missing = (plants: readonly Plant[], found: readonly Found[]): string[] =>
  plants
    .filter(({ what, where }) => !found.some((one) => one.what === what && where.test(one.place)))
    .map(({ what, where }) => `${what}: not found in ${where.source}`)
