import type { ServedStack } from './platform.ts'
import type { Groups } from './processes.ts'
import type { Subject } from './subjects.ts'
import type { ExchangesJob } from './workers/bare-exchanges.ts'
import type { HopsJob } from './workers/bare-hops.ts'
import type { WritesJob } from './workers/bare-writes.ts'
import type { Load, Outcome } from './workers/loop.ts'
import { Worker } from './workers/worker.ts'

/*
 * What any design of an order has to do, whatever this one does: an order is written before its charge is asked for and
 * after it is answered, the gateway and the service of the charges are other processes, the payment processor is somebody
 * else's, and prices and charges are asked for by messages. Each part runs by itself, as barely as it can.
 */

export const cardOrderLimits = [
  'writes: card, 4 commits',
  'exchanges: card, 2 internal and 3 with the processor',
  'hops: card, 4 light',
] as const
export const cashOrderLimits = [
  'writes: cash, 2 commits',
  'exchanges: cash, 1 internal',
  'hops: cash, 2 light',
] as const

const limit = (
  name: string,
  about: string,
  { counts, run }: Pick<Subject, 'counts'> & { run: (load: Load) => Promise<Outcome> },
): Subject => ({ name, kind: 'limit', about, counts, run })

export type OrderLimits = { subjects: Subject[]; groups: Groups }

/** Starts the processes that do it on the servers of a stack; `cleanup` stops them. */
export async function startOrderLimits(
  { postgres, rabbitmq }: Pick<ServedStack, 'postgres' | 'rabbitmq'>,
  cleanup: AsyncDisposableStack,
): Promise<OrderLimits> {
  const start = async <J extends object>(file: string, ...args: string[]) => {
    const worker = await Worker.start<J, Outcome>(file, args)
    cleanup.defer(() => worker.stop())
    return worker
  }
  const writer = await start<WritesJob>('bare-writes.ts', postgres)
  const internal = await start('bare-answers.ts')
  const processor = await start('bare-answers.ts')
  const caller = await start<ExchangesJob>('bare-exchanges.ts', internal.address, processor.address)
  const hopper = await start<HopsJob>('bare-hops.ts', rabbitmq)
  const writes = (name: string, shape: WritesJob['shape'], about: string) =>
    limit(name, about, { counts: ['writer', 'postgres'], run: (load) => writer.run({ load, shape }) })
  const exchanges = (name: string, numbers: readonly number[]) =>
    limit(name, 'HTTP by undici and node:http; the processor’s end does not count', {
      counts: ['caller', 'answerer'],
      run: (load) => caller.run({ load, exchanges: numbers }),
    })
  const hops = (name: string, count: number) =>
    limit(name, 'durable classic queues, transient messages, no confirms, acknowledgements', {
      counts: ['hopper', 'rabbitmq'],
      run: (load) => hopper.run({ load, hops: count }),
    })
  return {
    subjects: [
      writes(cardOrderLimits[0], 'card-4', 'insert order, insert charge, update charge, update order'),
      exchanges(cardOrderLimits[1], [2, 3]),
      hops(cardOrderLimits[2], 4),
      writes(cashOrderLimits[0], 'cash-2', 'insert order, update order'),
      exchanges(cashOrderLimits[1], [1, 0]),
      hops(cashOrderLimits[2], 2),
    ],
    groups: {
      writer: () => [writer.pid],
      caller: () => [caller.pid],
      answerer: () => [internal.pid],
      hopper: () => [hopper.pid],
    },
  }
}
