import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter } from '../../dev/progress.ts'
import { requestBytes, type LoadGenerator } from '../support/load/generator.ts'
import type { Load, Outcome } from '../support/load/loop.ts'
import type { Groups } from '../support/processes.ts'
import { Worker } from '../support/worker.ts'
import { startNginx } from './nginx.ts'
import {
  bytesOf,
  CARD_ORDER_LIMITS,
  CASH_ORDER_LIMITS,
  operationNames,
  scenarioOf,
  type OperationName,
} from './operations.ts'
import { PLATFORM, type Platform } from './platform.ts'
import type { ExchangesJob } from './workers/bare-exchanges.ts'
import type { HopsJob } from './workers/bare-hops.ts'
import type { WritesJob } from './workers/bare-writes.ts'

/** A subject of a measurement: an operation of the platform, or one of its limits. */
export type Subject = {
  name: string
  kind: 'operation' | 'limit'
  /** The groups of processes whose CPU is the cost of the subject. */
  counts: readonly string[]
  expects: number
  run: (load: Load) => Promise<Outcome>
}

/** Subjects and the processes that serve them. */
export type Subjects = { subjects: readonly Subject[]; groups: Groups }

/** Enough connections for 50 requests a second in an open loop. */
const OPEN_LOOP_CONNECTIONS = 64

const connectionsFor = (load: Load) => ('clients' in load ? load.clients : OPEN_LOOP_CONNECTIONS)

/** Sends an operation to a platform, and waits until its orders have settled. */
export async function runOperation(
  { stack, context, settled }: Platform,
  generator: LoadGenerator,
  { name, load }: { name: OperationName; load: Load },
): Promise<Outcome> {
  const { expects = 200, isOrder } = scenarioOf(name)
  const outcome = await generator.send(
    { origins: stack.gateways, connections: connectionsFor(load) },
    { load, bytes: [bytesOf(name, context)], expects },
  )
  if (isOrder) await settled()
  return outcome
}

/** Returns the operations of a platform. */
export const operationsOn = (platform: Platform, generator: LoadGenerator): Subjects => ({
  subjects: operationNames.map((name) => ({
    name,
    kind: 'operation',
    counts: PLATFORM,
    expects: scenarioOf(name).expects ?? 200,
    run: (load) => runOperation(platform, generator, { name, load }),
  })),
  groups: platform.groups,
})

type Limit = Pick<Subject, 'name' | 'counts' | 'run'> & { expects?: number }
const limit = (declared: Limit): Subject => ({ kind: 'limit', expects: 200, ...declared })

/** Returns the limits of an order, on the servers of a platform. `cleanup` stops their processes. */
export async function orderLimits(
  { stack: { postgres, rabbitmq } }: Platform,
  cleanup: AsyncDisposableStack,
): Promise<Subjects> {
  const writer = await startWorker<WritesJob>(cleanup, 'bare-writes.ts', postgres)
  const internal = await startWorker(cleanup, 'bare-responses.ts')
  const processor = await startWorker(cleanup, 'bare-responses.ts')
  const caller = await startWorker<ExchangesJob>(
    cleanup,
    'bare-exchanges.ts',
    internal.address,
    processor.address,
  )
  const hopper = await startWorker<HopsJob>(cleanup, 'bare-hops.ts', rabbitmq)
  const writes = (name: string, shape: WritesJob['shape']) =>
    limit({ name, counts: ['writer', 'postgres'], run: (load) => writer.run({ load, shape }) })
  const exchanges = (name: string, numbers: readonly number[]) =>
    limit({
      name,
      counts: ['caller', 'answerer'],
      run: (load) => caller.run({ load, exchanges: numbers }),
    })
  const hops = (name: string, count: number) =>
    limit({
      name,
      counts: ['hopper', 'rabbitmq'],
      run: (load) => hopper.run({ load, hops: count }),
    })
  return {
    subjects: [
      writes(CARD_ORDER_LIMITS[0], 'card-4'),
      exchanges(CARD_ORDER_LIMITS[1], [2, 3]),
      hops(CARD_ORDER_LIMITS[2], 4),
      writes(CASH_ORDER_LIMITS[0], 'cash-2'),
      exchanges(CASH_ORDER_LIMITS[1], [1, 0]),
      hops(CASH_ORDER_LIMITS[2], 2),
    ],
    groups: {
      writer: () => [writer.pid],
      caller: () => [caller.pid],
      answerer: () => [internal.pid],
      hopper: () => [hopper.pid],
    },
  }
}

/** Operations whose response bytes nginx and Fastify send. */
const COPIED = ['menu', 'restaurant', 'search'] as const

type ReadLimitOptions = { directory: string; reporter: Reporter; generator: LoadGenerator }

/** Returns the limits of reads: nginx, nginx in front of Fastify, Fastify with a select. `cleanup` stops their processes. */
export async function readLimits(
  platform: Platform,
  cleanup: AsyncDisposableStack,
  { directory, reporter, generator }: ReadLimitOptions,
): Promise<Subjects> {
  const { context, stack } = platform
  const files = await copyResponses(platform, join(directory, 'responses'))
  const fastify = await startWorker(cleanup, 'bare-fastify.ts', files, COPIED.join(','), stack.postgres)
  const nginx = await startNginx(directory, { files, upstream: fastify.address, reporter })
  cleanup.defer(() => nginx.stop())
  const reading = (
    origin: string,
    { path, headers = {}, ...rest }: Omit<Limit, 'run'> & { path: string; headers?: Record<string, string> },
  ) =>
    limit({
      ...rest,
      run: (load) =>
        generator.send(
          { origins: [origin], connections: connectionsFor(load) },
          { load, bytes: [requestBytes({ method: 'GET', path, headers })], expects: rest.expects ?? 200 },
        ),
    })
  const counts = ['nginx', 'fastify']
  const select = ['fastify', 'postgres']
  return {
    subjects: [
      reading(nginx.url, {
        name: 'nginx: menu',
        counts: ['nginx'],
        path: '/static/menu',
      }),
      ...COPIED.map((name) =>
        reading(nginx.url, {
          name: `nginx → Fastify: ${name}`,
          counts,
          path: `/bytes/${name}`,
        }),
      ),
      reading(nginx.url, {
        name: 'nginx → Fastify: 304',
        counts,
        path: '/bytes/menu',
        headers: { 'if-none-match': '"bench"' },
        expects: 304,
      }),
      reading(fastify.address, {
        name: 'Fastify + pg: order',
        counts: select,
        path: `/order/${context.orderApiKey}`,
      }),
      reading(fastify.address, {
        name: 'Fastify + pg: history',
        counts: select,
        path: `/orders/${context.userApiKey}`,
      }),
    ],
    groups: { nginx: nginx.pids, fastify: () => [fastify.pid] },
  }
}

async function copyResponses({ stack, context }: Platform, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  for (const name of COPIED) {
    const path = scenarioOf(name).path(context)
    const response = await fetch(`${stack.gateway}${path}`, {
      headers: { 'x-access-token': stack.accessKey },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    writeFileSync(join(folder, name), await response.bytes())
  }
  return folder
}

async function startWorker<J extends object>(
  cleanup: AsyncDisposableStack,
  file: string,
  ...args: string[]
): Promise<Worker<J, Outcome>> {
  const worker = await Worker.start<J, Outcome>(new URL(`workers/${file}`, import.meta.url), args)
  cleanup.defer(() => worker.stop())
  return worker
}
