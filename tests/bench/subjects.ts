import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter } from '../../dev/progress.ts'
import { startNginx } from './nginx.ts'
import { operationNames, type Asked, type OperationName } from './operations.ts'
import { cardOrderLimits, cashOrderLimits, startOrderLimits } from './order-limits.ts'
import { ours, type Platform } from './platform.ts'
import type { Groups } from './processes.ts'
import type { HttpJob } from './workers/http-load.ts'
import type { Load, Outcome } from './workers/loop.ts'
import { Worker } from './workers/worker.ts'

/** Something that is measured: an operation of the platform, or the least that could do the same. */
export type Subject = {
  name: string
  kind: 'operation' | 'limit'
  /** What it is, for who reads the report. */
  about: string
  /** Whose CPU is its cost. */
  counts: readonly string[]
  run: (load: Load) => Promise<Outcome>
}

/** The limits that an operation is held against: together they are what it has to do at least. */
export const limitsOf: Readonly<Record<OperationName, readonly string[]>> = {
  menu: ['nginx → Fastify: menu'],
  'menu-unchanged': ['nginx → Fastify: 304'],
  restaurant: ['nginx → Fastify: restaurant'],
  search: ['nginx → Fastify: search'],
  'cash-order': cashOrderLimits,
  'card-order': cardOrderLimits,
  'card-order-with-key': cardOrderLimits,
  'get-order': ['Fastify + pg: order'],
  'order-history': ['Fastify + pg: history'],
  'get-user': [],
}

const aboutOperations: Readonly<Record<OperationName, string>> = {
  menu: 'a menu with customizations, from the cache',
  'menu-unchanged': 'the same with If-None-Match, answered with 304',
  restaurant: 'restaurant details',
  search: 'restaurants around an address',
  'cash-order': 'send-order of a guest, cash, until its saga has ended',
  'card-order': 'send-order of a guest, card, until it is captured',
  'card-order-with-key': 'the same with an Idempotency-Key of its own',
  'get-order': 'an order by its key',
  'order-history': 'the first 100 of a user who has 200 orders',
  'get-user': 'a user by key',
}

/** Everything that can be measured on one platform; `groups` are all processes that take part. */
export type Bench = {
  subjects: ReadonlyMap<string, Subject>
  groups: Groups
  load: Worker<HttpJob, Outcome>
  stop: () => Promise<void>
}

export async function prepare(platform: Platform, directory: string, reporter: Reporter): Promise<Bench> {
  const cleanup = new AsyncDisposableStack()
  try {
    return await assemble(platform, { directory, reporter, cleanup })
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

type Frame = { directory: string; reporter: Reporter; cleanup: AsyncDisposableStack }

async function assemble(platform: Platform, { directory, reporter, cleanup }: Frame): Promise<Bench> {
  const start = async <J extends object, R>(file: string, ...args: string[]) => {
    const worker = await Worker.start<J, R>(file, args)
    cleanup.defer(() => worker.stop())
    return worker
  }
  const files = await keepAnswers(platform, join(directory, 'answers'))
  const fastify = await start<object, void>('bare-fastify.ts', files, kept.join(','), platform.stack.postgres)
  const nginx = await startNginx(join(directory, 'nginx'), { files, behind: fastify.address, reporter })
  cleanup.defer(() => nginx.stop())
  const load = await start<HttpJob, Outcome>('http-load.ts')
  const orderLimits = await startOrderLimits(platform.stack, cleanup)
  const all = [
    ...operationsOn(platform, load),
    ...readLimits(platform, { load, nginx: nginx.url, fastify: fastify.address }),
    ...orderLimits.subjects,
  ]
  return {
    subjects: new Map(all.map((subject) => [subject.name, subject])),
    groups: {
      ...platform.groups,
      nginx: nginx.pids,
      fastify: () => [fastify.pid],
      ...orderLimits.groups,
    },
    load,
    stop: () => cleanup.disposeAsync(),
  }
}

/** The operations of a platform, asked for by a driver whose CPU nobody counts. */
export function operationsOn(platform: Platform, driver: Worker<HttpJob, Outcome>): Subject[] {
  const { context, stack, settled } = platform
  return operationNames.map((operation) => ({
    name: operation,
    kind: 'operation',
    about: aboutOperations[operation],
    counts: ours,
    run: async (load) => {
      const outcome = await driver.run({ origins: stack.gateways, load, ask: { operation, context } })
      if (operation.endsWith('-order') || operation.endsWith('-with-key')) await settled()
      return outcome
    },
  }))
}

/** Whose answers are kept, to be sent again by those that do nothing else. */
const kept = ['menu', 'restaurant', 'search'] as const

async function keepAnswers(platform: Platform, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  for (const name of kept) writeFileSync(join(folder, name), (await platform.ask(name)).body)
  return folder
}

type Places = { load: Worker<HttpJob, Outcome>; nginx: string; fastify: string }

const get = (path: string, more: Partial<Asked> = {}): Asked => ({
  method: 'GET',
  path,
  headers: {},
  expects: 200,
  ...more,
})

function readLimits({ context }: Platform, { load: driver, nginx, fastify }: Places): Subject[] {
  const limit = (
    about: Pick<Subject, 'name' | 'about' | 'counts'>,
    origin: string,
    asked: Asked,
  ): Subject => ({
    ...about,
    kind: 'limit',
    run: (load) => driver.run({ origins: [origin], load, ask: { get: asked } }),
  })
  const counts = ['nginx', 'fastify']
  const unchanged = { headers: { 'if-none-match': '"bench"' }, expects: 304 }
  const select = ['fastify', 'postgres']
  const file = { name: 'nginx: menu', about: 'the same bytes as a file', counts: ['nginx'] }
  const nothing = { name: 'nginx → Fastify: 304', about: 'the same as a 304', counts }
  const order = { name: 'Fastify + pg: order', about: 'the same select, its row as JSON', counts: select }
  const history = {
    name: 'Fastify + pg: history',
    about: 'the same select, its rows as JSON',
    counts: select,
  }
  return [
    limit(file, nginx, get('/static/menu')),
    ...kept.map((name) => {
      const about = {
        name: `nginx → Fastify: ${name}`,
        about: 'the same bytes from the memory of a Fastify',
        counts,
      }
      return limit(about, nginx, get(`/bytes/${name}`))
    }),
    limit(nothing, nginx, get('/bytes/menu', unchanged)),
    limit(order, fastify, get(`/order/${context.orderApiKey}`)),
    limit(history, fastify, get(`/orders/${context.userApiKey}`)),
  ]
}
