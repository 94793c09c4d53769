import type { Reporter } from '../../../dev/progress.ts'
import type { Platform } from '../platform.ts'
import { digits, type Section } from '../report.ts'
import type { Bench } from '../subjects.ts'

const PER_SECOND = 50
/** 150 orders leave V8 with half of the code compiled: p50 52 ms where one that has done a thousand takes 37. */
const WARM_S = 20

/** Card orders as they come in a city's busy hour: at a rate of their own, whatever is still running. */
export async function paced(
  platform: Platform,
  { load }: Bench,
  { seconds, reporter }: { seconds: number; reporter: Reporter },
): Promise<Section> {
  const { stack, context, settled } = platform
  const run = (forSeconds: number) =>
    load.run({
      origins: stack.gateways,
      load: { clients: 0, perSecond: PER_SECOND, seconds: forSeconds },
      ask: { operation: 'card-order', context },
    })
  const outcome = await reporter.step(`${PER_SECOND} card orders a second`, async () => {
    await run(WARM_S)
    return run(seconds)
  })
  await settled()
  const { count, failed, p50, p99, max } = outcome
  return {
    name: 'paced',
    about: `${PER_SECOND} card orders a second for ${seconds} s, however long each takes; latency counts from when it was due.`,
    columns: ['orders', 'failed', 'p50 ms', 'p99 ms', 'longest ms'],
    lines: [[count, failed, digits(p50), digits(p99), digits(max)]],
    values: { p50, p99, failed },
  }
}
