import { requestOf, type LoadGenerator, type Source } from '../support/load/generator.ts'
import type { Load, Outcome } from '../support/load/loop.ts'
import { Worker } from '../support/worker.ts'
import type { Frame } from './frame.ts'
import type { Side, Subject } from './measure.ts'
import { operationNames, requestFor, scenarioOf } from './operations.ts'
import type { OperationName } from './operations.ts'
import { PLATFORM, type Platform } from './platform.ts'
import type { OrderJob } from './workers/bare-order.ts'

/** Enough connections for 50 requests a second in an open loop. */
const OPEN_LOOP_CONNECTIONS = 64

const connectionsFor = (load: Load) => ('clients' in load ? load.clients : OPEN_LOOP_CONNECTIONS)

/** Sends one request repeatedly. */
async function sendOne(
  generator: LoadGenerator,
  origins: readonly string[],
  source: Omit<Source, 'name'>,
): Promise<Outcome> {
  const sources = [{ name: 'only', ...source }]
  const { only } = await generator.run({ origins, connections: connectionsFor(source.load), sources })
  return only!
}

/** Sends an operation to a platform, and waits until its orders have settled. */
export async function runOperation(
  { stack, context, settled }: Platform,
  generator: LoadGenerator,
  { name, load }: { name: OperationName; load: Load },
): Promise<Outcome> {
  const { expects = 200, order } = scenarioOf(name)
  const outcome = await sendOne(generator, stack.gateways, {
    load,
    requests: [requestFor(name, context)],
    expects,
  })
  if (order) await settled()
  return outcome
}

/** Returns the operations of a platform. */
export const operationsOn = (platform: Platform, generator: LoadGenerator): Side => ({
  subjects: operationNames.map((name) => ({
    name,
    counts: PLATFORM,
    expects: scenarioOf(name).expects ?? 200,
    run: (load) => runOperation(platform, generator, { name, load }),
  })),
  groups: platform.groups,
})

/** Operations whose response bytes Fastify sends from memory. */
const COPIED = ['menu', 'restaurant', 'search'] as const

/** Starts the limits of all operations, on the servers of a platform. Returns both. `cleanup` stops the processes of the limits. */
export async function startLimits(
  platform: Platform,
  cleanup: AsyncDisposableStack,
  { generator }: Frame,
): Promise<Side> {
  const { context, groups } = platform
  const { gateway, accessKey, urls } = platform.stack.file
  const start = async <J extends object>(file: string, ...args: string[]) => {
    const program = new URL(`workers/${file}`, import.meta.url)
    const worker = await Worker.start<J, Outcome>(program, args)
    cleanup.defer(() => worker.stop())
    return worker
  }
  const copies = COPIED.map((name) => `${gateway}${scenarioOf(name).path(context)}`)
  const fastify = await start('bare-fastify.ts', urls.postgres, accessKey, ...copies)
  const internal = await start('bare-responses.ts')
  const processor = await start('bare-responses.ts')
  const servers = [urls.postgres, urls.rabbitmq, internal.address, processor.address]
  const order = await start<OrderJob>('bare-order.ts', ...servers)

  const part = (name: OrderJob['part'], server: string): Subject => ({
    name,
    counts: ['order part', server],
    expects: 200,
    run: (load) => order.run({ part: name, load }),
  })
  const reading = (name: string, path: string, headers: Record<string, string> = {}): Subject => {
    const expects = 'if-none-match' in headers ? 304 : 200
    const requests = [requestOf({ method: 'GET', path, headers })]
    const run = (load: Load) => sendOne(generator, [fastify.address], { load, requests, expects })
    const counts = path.startsWith('/bytes/') ? ['fastify'] : ['fastify', 'postgres']
    return { name, counts, expects, run }
  }
  return {
    subjects: [
      ...operationsOn(platform, generator).subjects,
      ...COPIED.map((name, at) => reading(`Fastify: ${name}`, `/bytes/${at}`)),
      reading('Fastify: 304', '/bytes/0', { 'if-none-match': '"bench"' }),
      reading('Fastify + pg: order', `/order/${context.orderApiKey}`),
      reading('Fastify + pg: history', `/orders/${context.userApiKey}`),
      part('writes', 'postgres'),
      part('exchanges', 'answerer'),
      part('hops', 'rabbitmq'),
    ],
    groups: {
      ...groups,
      fastify: () => [fastify.pid],
      // The processor is a third party, so its end of an exchange does not count.
      answerer: () => [internal.pid],
      'order part': () => [order.pid],
    },
  }
}
