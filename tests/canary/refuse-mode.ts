import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { sendToTrees } from '../support/faults.ts'
import { BY_TOKEN, PATHS } from './paths.ts'
import { Sender, type Answer, type Sent } from './sender.ts'
import { keyed, newOrder, post, type World } from './world.ts'

/** Of the variables that the launcher reads at each start of a process. */
type Mode = Record<string, string>
export type Switch = { gateway: Mode; payments: Mode }

/** 0: no response. 413, 415, 503: refused before the body is searched. */
const NOT_READ = new Set([0, 413, 415, 503])
const REFUSED = 'raw-card-not-accepted'

/**
 * Starts the gateway and payments again with RAW_CARDS=refuse, and walks all paths once more. Returns the faults: requests with a
 * card number that were not refused as such, and an order by token that was not accepted.
 */
export async function walkRefused(
  stack: Stack,
  { world, mode, inTurn }: { world: World; mode: Switch; inTurn: InTurn },
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
  const sender = new Watching(stack.gateway, world)
  try {
    const watched = { ...world, sender }
    await inTurn(PATHS, (path) => path.walk(watched))
    const byToken = await untilAccepted(watched)
    const astray = [...new Set(sender.astray), ...(byToken === 200 ? [] : [`an order by token: ${byToken}`])]
    return { astray, refused: sender.refused }
  } finally {
    sender.close()
  }
}

type InTurn = <T, R>(all: readonly T[], work: (one: T) => Promise<R>) => Promise<R[]>

const isRefused = ({ status, body }: Answer) => status === 422 && body['code'] === REFUSED

async function refuses(stack: Stack, world: World): Promise<boolean> {
  await Promise.all([stack.ready('payments'), stack.ready('gateway')])
  return isRefused(await post(world, 'send-order', newOrder(world, 'until it is refused'), keyed()))
}

/** The processor's faults are in the way now and then. */
async function untilAccepted(world: World): Promise<number> {
  let status = 0
  for (let tries = 0; tries < 5 && status !== 200; tries++) status = (await BY_TOKEN.walk(world)).status
  return status
}

/** Compares each response with the body of its request, without the code of the gateway. */
class Watching extends Sender {
  readonly astray: string[] = []
  refused = 0
  readonly #numbers: ReadonlyMap<string, string>

  constructor(gateway: string, { canaries }: World) {
    super(gateway)
    this.#numbers = canaries.numbers
  }

  override async send(sent: Sent): Promise<Answer> {
    const answer = await super.send(sent)
    const what = this.#numberIn(sent.body)
    if (what === undefined || NOT_READ.has(answer.status)) return answer
    if (isRefused(answer)) this.refused++
    else this.astray.push(`${what}: ${answer.status} instead of 422 ${REFUSED}`)
    return answer
  }

  #numberIn(body: unknown): string | undefined {
    if (body === undefined) return undefined
    const text =
      typeof body === 'string' || Buffer.isBuffer(body) ? body.toString('latin1') : JSON.stringify(body)
    const digits = text.replaceAll(/(?<=\d)[ -](?=\d)/g, '').match(/\d{12,}/g) ?? []
    return digits.map((one) => this.#numbers.get(one)).find((one) => one !== undefined)
  }
}
