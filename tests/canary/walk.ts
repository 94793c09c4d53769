import { Readable } from 'node:stream'
import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { encode } from '../support/api.ts'
import { sendToTrees } from '../support/faults.ts'
import { print } from '../support/stack.ts'
import { BY_TOKEN, PATHS } from './paths.ts'
import type { ClientResponse, Path, World } from './world.ts'

const AT_ONCE = 12

/** Does `work` for all, twelve at a time. */
export const inTurn = <T, R>(all: Iterable<T>, work: (one: T) => Promise<R>): Promise<R[]> =>
  Readable.from(all).map(work, { concurrency: AT_ONCE }).toArray() as Promise<R[]>

/** Sends all paths. Returns those that did not end with their status. */
export const walkAll = async (world: World): Promise<string[]> =>
  (await inTurn(PATHS, (path) => walkUntilThere(path, world))).flat()

/** Repeats a path up to five times, because faults of the processor or a busy machine may disturb it. */
async function walkUntilThere(path: Path, world: World): Promise<string[]> {
  const seen: number[] = []
  for (let attempts = 0; attempts < 5; attempts++) {
    const { status } = await path.walk(world)
    if (status === path.leadsTo) return []
    seen.push(status)
  }
  return [`${path.name}: ${seen.join(', ')} instead of ${path.leadsTo}`]
}

// RAW_CARDS=refuse -----------------------------------------------------------------------------------------------

/** 0: no response. 413, 415, 503: the gateway rejects the request before it searches the body. */
const NOT_READ = new Set([0, 413, 415, 503])
const REFUSED = 'raw-card-not-accepted'

/**
 * Restarts the gateway and payments with RAW_CARDS=refuse, and sends all paths again. Returns the faults: requests with a card
 * number that were not rejected with the right code, and an order by token that was not accepted.
 */
export async function walkRefused(stack: Stack, world: World, env: Environment): Promise<string[]> {
  for (const variables of [env.gateway, env.payments]) variables['RAW_CARDS'] = 'refuse'
  const { gateway, payments } = stack.file.processes
  sendToTrees([...gateway, ...payments], 'SIGKILL')
  await until(() => refuses(stack, world), {
    what: 'The start with RAW_CARDS=refuse',
    withinMs: 90_000,
    everyMs: 200,
  })
  const astray = new Set<string>()
  let refused = 0
  world.onResponse = (body, response) => {
    const what = numberIn(body, world)
    if (what === undefined || NOT_READ.has(response.status)) return
    if (isRefused(response)) refused++
    else astray.add(`${what}: ${response.status} instead of 422 ${REFUSED}`)
  }
  await inTurn(PATHS, (path) => path.walk(world))
  const byToken = await walkUntilThere(BY_TOKEN, world)
  print(`RAW_CARDS=refuse: ${refused} requests with a card number were refused`)
  if (refused < PATHS.length / 3) astray.add(`only ${refused} requests were refused`)
  return [...astray, ...byToken]
}

/** The variables of processes. The launcher reads them at each start of a process. */
type Environment = { gateway: Record<string, string>; payments: Record<string, string> }

const isRefused = ({ status, body }: ClientResponse) => status === 422 && body['code'] === REFUSED

async function refuses(stack: Stack, world: World): Promise<boolean> {
  await Promise.all([stack.ready('payments'), stack.ready('gateway')])
  return isRefused(await world.post('send-order', world.newOrder('until it is refused')))
}

/** Returns the canary whose number is in the body of a request. It shares no code with the gateway. */
function numberIn(body: unknown, { canaries }: World): string | undefined {
  const text = Buffer.from(encode(body ?? '')).toString('latin1')
  const digits = text.replaceAll(/(?<=\d)[ -](?=\d)/g, '').match(/\d{12,}/g) ?? []
  return digits.map((one) => canaries.numbers.get(one)).find((one) => one !== undefined)
}
