import { serviceNames } from '../../../dev/stack/services.ts'
import type { Reporter } from '../../../dev/progress.ts'
import type { OperationName } from '../operations.ts'
import type { Platform } from '../platform.ts'
import { residentOf } from '../processes.ts'
import type { Section } from '../report.ts'
import type { Bench } from '../subjects.ts'

const LOOKS = 10
const CLIENTS = 16
/** A card order is three requests to payments: tokenize, authorize, capture. */
const share: readonly [OperationName, number][] = [
  ['menu', 1],
  ['get-user', 1],
  ['get-order', 2 / 3],
  ['card-order', 1 / 3],
]

/** What every service has in memory while it takes so many requests, looked at ten times. */
export async function memory(
  platform: Platform,
  { load }: Bench,
  { requests, reporter }: { requests: number; reporter: Reporter },
): Promise<Section> {
  const { stack, context, settled, groups } = platform
  const services = Object.fromEntries(serviceNames.map((name) => [name, groups[name] ?? (() => [])]))
  const looks: Record<string, number>[] = []
  await reporter.step(`${requests} requests to each service`, async (step) => {
    for (let look = 0; look < LOOKS; look++) {
      for (const [operation, part] of share) {
        const count = Math.ceil((requests * part) / LOOKS)
        await load.run({
          origins: stack.gateways,
          load: { clients: CLIENTS, count },
          ask: { operation, context },
        })
      }
      await settled()
      looks.push(residentOf(services))
      step.now(`${(look + 1) * (100 / LOOKS)} %`)
    }
  })
  const last = looks.at(-1) ?? {}
  const halfWay = looks[LOOKS / 2 - 1] ?? {}
  const growth = serviceNames.map((name) => (last[name] ?? 0) / (halfWay[name] ?? 1))
  return {
    name: 'memory',
    about: `Resident MB after each tenth of ${requests} requests to each service: menus, users, orders, card orders.`,
    columns: ['', ...looks.map((_, at) => `${((at + 1) * 100) / LOOKS} %`)],
    lines: serviceNames.map((name) => [name, ...looks.map((look) => look[name] ?? 0)]),
    values: {
      gateway: last['gateway'] ?? 0,
      largest: Math.max(...serviceNames.filter((name) => name !== 'gateway').map((name) => last[name] ?? 0)),
      growth: Math.max(...growth),
    },
  }
}
