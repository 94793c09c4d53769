import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bus } from '@platter/bus'
import { PaymentsCapture } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { until } from '../../dev/process/wait.ts'
import { withClient } from '../../dev/servers/database.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import { Canaries } from './canaries.ts'
import type { Found } from './places.ts'
import { sendToRedis } from './recorder.ts'

const PLANTED = 'planted'
const DEAD_SOON = { what: 'The dead letter', withinMs: 15_000 }

const isDead = (postgres: string): Promise<boolean> =>
  withClient(postgres, async (client) => {
    const { rowCount } = await client.query('select from orders.dead_letters where request_id = $1', [
      PLANTED,
    ])
    return rowCount === 1
  })

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
export class Plants {
  readonly canaries = new Canaries(-1)
  readonly #places: { what: string; where: RegExp }[] = []

  async plant({ urls, data }: StackFile, otlp: string): Promise<void> {
    await withClient(urls.postgres, async (client) => {
      await client.query('create table public.planted (value text)')
      await client.query('alter table public.planted alter value set storage external')
      const insert = (value: string) => client.query('insert into public.planted values ($1)', [value])
      // Longer than a page, and compressible.
      const long = twice(this.#number('a long row', ROWS, DATABASE, LOG_OF_DATABASE))
      await insert('a'.repeat(9_000) + long + 'b'.repeat(9_000))
      await insert(`gone: ${twice(this.#number('a row that is deleted', LOG_OF_DATABASE))}`)
      await client.query(`delete from public.planted where value like 'gone%'`)
      const { holder, cvv } = this.canaries.card('planted in a row', '')
      this.#places.push({ what: 'cvv: planted in a row', where: ROWS })
      await insert(`${holder}, ${cvv}`)
    })
    appendFileSync(
      join(data.logs, 'orders.log'),
      `{"msg":"${this.#number('a log line', /\/logs\/orders\.log$/)}"}\n`,
    )
    const value = this.#number('a value in Redis', /redis-commands/, /dump\.rdb$/)
    // Also compressible.
    await sendToRedis(urls.redis, `SET planted ${'a'.repeat(500)}${value}`)
    await this.#publish(urls.rabbitmq, this.#number('a message', /\/rabbitmq\//, /orders\.dead_letters$/))
    await until(() => isDead(urls.postgres), DEAD_SOON)
    await fetch(otlp, { method: 'POST', body: this.#number('a span', /otlp/) })
  }

  /** The consumer cannot parse this command. It rejects the message and stores it as a dead letter. */
  async #publish(url: string, number: string): Promise<void> {
    const bus = new Bus({ url, service: 'canary', log: createLog('canary', 'fatal') })
    await bus.start()
    await bus.republish(PaymentsCapture, {
      content: Buffer.from(JSON.stringify({ number })),
      requestId: PLANTED,
    })
    await bus.close()
  }

  #number(what: string, ...where: RegExp[]): string {
    const number = this.canaries.number(`planted as ${what}`)
    for (const place of where) this.#places.push({ what: `card number: planted as ${what}`, where: place })
    return number
  }

  isOne({ what }: Found): boolean {
    return this.#places.some((one) => one.what === what)
  }

  /** Returns the places in which the search found no planted canary. */
  missing(found: readonly Found[]): string[] {
    return this.#places
      .filter(({ what, where }) => !found.some((one) => one.what === what && where.test(one.place)))
      .map(({ what, where }) => `${what}: not found in ${where.source}`)
  }
}
