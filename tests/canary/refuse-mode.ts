import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { sendToTrees } from '../support/faults.ts'
import { BY_TOKEN, PATHS } from './paths.ts'
import {
  contentOf,
  keyed,
  newOrder,
  post,
  type ClientResponse,
  type Path,
  type Sent,
  type World,
} from './world.ts'

/** Variables that the launcher reads at each start of a process. */
type Mode = Record<string, string>
export type Switch = { gateway: Mode; payments: Mode }

/** 0: no response. 413, 415, 503: the gateway rejects the request before it searches the body. */
const NOT_READ = new Set([0, 413, 415, 503])
const REFUSED = 'raw-card-not-accepted'

/**
 * Restarts the gateway and payments with RAW_CARDS=refuse, and sends all paths again. Returns the faults: requests with a card
 * number that were not rejected with the right code, and an order by token that was not accepted.
 */
export async function walkRefused(
  stack: Stack,
  { world, mode, inTurn, untilThere }: { world: World; mode: Switch; inTurn: InTurn; untilThere: UntilThere },
): Promise<{ astray: string[]; refused: number }> {
  mode.gateway['RAW_CARDS'] = 'refuse'
  mode.payments['RAW_CARDS'] = 'refuse'
  const { gateway, payments } = stack.file.processes
  sendToTrees([...gateway, ...payments], 'SIGKILL')
  await until(() => refuses(stack, world), {
    what: 'The start with RAW_CARDS=refuse',
    withinMs: 90_000,
    everyMs: 200,
  })
  const seen = { astray: new Set<string>(), refused: 0 }
  const watched: World = {
    ...world,
    send: async (sent) => {
      const response = await world.send(sent)
      const what = numberIn(sent, world)
      if (what === undefined || NOT_READ.has(response.status)) return response
      if (isRefused(response)) seen.refused++
      else seen.astray.add(`${what}: ${response.status} instead of 422 ${REFUSED}`)
      return response
    },
  }
  await inTurn(PATHS, (path) => path.walk(watched))
  const byToken = await untilThere(BY_TOKEN, watched)
  return { astray: [...seen.astray, ...(byToken === null ? [] : [byToken])], refused: seen.refused }
}

type InTurn = <T, R>(all: readonly T[], work: (one: T) => Promise<R>) => Promise<R[]>
type UntilThere = (path: Path, world: World) => Promise<string | null>

const isRefused = ({ status, body }: ClientResponse) => status === 422 && body['code'] === REFUSED

async function refuses(stack: Stack, world: World): Promise<boolean> {
  await Promise.all([stack.ready('payments'), stack.ready('gateway')])
  return isRefused(await post(world, 'send-order', newOrder(world, 'until it is refused'), keyed()))
}

/** Returns the canary whose number is in the body of a request. It shares no code with the gateway. */
function numberIn({ body }: Sent, { canaries }: World): string | undefined {
  if (body === undefined) return undefined
  const text = contentOf(body).toString('latin1')
  const digits = text.replaceAll(/(?<=\d)[ -](?=\d)/g, '').match(/\d{12,}/g) ?? []
  return digits.map((one) => canaries.numbers.get(one)).find((one) => one !== undefined)
}
