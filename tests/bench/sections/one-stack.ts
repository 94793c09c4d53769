import { serviceNames } from '../../../dev/stack/services.ts'
import { tookOf } from '../../support/load/figures.ts'
import { residentOf } from '../../support/processes.ts'
import { formatStatuses, quantile, tally } from '../../support/statistics.ts'
import { BUSY, openStacks, type Frame } from '../frame.ts'
import { runOperation } from '../limits.ts'
import { failuresOf } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { digits, type Section } from '../report.ts'

const PER_SECOND = 50
/** After 150 orders V8 has compiled half of the code: p50 is 52 ms, and 37 ms after a thousand. */
const PACED_WARM_UP_S = 20

/** Measures card orders at the rate of a city's busy hour, in an open loop. */
export async function paced(frame: Frame): Promise<Section> {
  const { generator, reporter, seconds } = frame
  await using cleanup = new AsyncDisposableStack()
  const [platform] = await openStacks(frame, cleanup, [{}])
  const run = (forSeconds: number) =>
    runOperation(platform!, generator, {
      name: 'card-order',
      load: { perSecond: PER_SECOND, seconds: forSeconds },
    })
  const lasts = seconds * 10
  const outcome = await reporter.step(`${PER_SECOND} card orders a second`, async () => {
    await run(PACED_WARM_UP_S)
    return run(lasts)
  })
  const took = tookOf(outcome, 200)
  const failed = failuresOf({ name: 'card-order', expects: 200 }, outcome)
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(took, share))
  return {
    name: 'paced',
    about: `${PER_SECOND} card orders a second for ${lasts} s in an open loop; latency counts from the time at which each is due.`,
    columns: ['orders', 'failed', 'p50 ms', 'p99 ms', 'longest ms'],
    lines: [[took.length, formatStatuses(tally(failed)) || 0, digits(p50!), digits(p99!), digits(longest!)]],
    values: { p99: p99! },
  }
}

const MEASUREMENTS = 10
const REQUESTS = 100_000
/** The share of each operation in the requests. A card order causes three requests to payments: token, authorize, capture. */
const SHARES: readonly [OperationName, number][] = [
  ['menu', 1],
  ['get-user', 1],
  ['get-order', 2 / 3],
  ['card-order', 1 / 3],
]

/** Measures the memory of every service while each receives 100,000 requests. */
export async function memory(frame: Frame): Promise<Section> {
  const { generator, reporter } = frame
  await using cleanup = new AsyncDisposableStack()
  const [platform] = await openStacks(frame, cleanup, [{}])
  const services = Object.fromEntries(serviceNames.map((name) => [name, platform!.groups[name]!]))
  const measurements: Record<string, number>[] = []
  await reporter.step(`${REQUESTS} requests to each service`, async (step) => {
    for (let measurement = 1; measurement <= MEASUREMENTS; measurement++) {
      for (const [name, share] of SHARES) {
        const load = { clients: BUSY, count: Math.ceil((REQUESTS * share) / MEASUREMENTS) }
        await runOperation(platform!, generator, { name, load })
      }
      measurements.push(residentOf(services))
      step.now(`${(measurement * 100) / MEASUREMENTS} %`)
    }
  })
  const [last, halfWay] = [measurements.at(-1)!, measurements[MEASUREMENTS / 2 - 1]!]
  const others = serviceNames.filter((name) => name !== 'gateway')
  return {
    name: 'memory',
    about: `Resident MB after each tenth of ${REQUESTS} requests to each service: menus, users, orders, card orders.`,
    columns: ['', ...measurements.map((_, at) => `${((at + 1) * 100) / MEASUREMENTS} %`)],
    lines: serviceNames.map((name) => [name, ...measurements.map((measurement) => measurement[name] ?? 0)]),
    values: {
      gateway: last['gateway'] ?? 0,
      largest: Math.max(...others.map((name) => last[name] ?? 0)),
      growth: Math.max(...serviceNames.map((name) => (last[name] ?? 0) / (halfWay[name] ?? 1))),
    },
  }
}
