import { SendOrder } from '@platter/contracts'
import {
  isAway,
  Problem,
  problemDocument,
  Rendered,
  responseRenderer,
  untilItWorks,
  type IdempotencyScope,
  type Log,
} from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import * as idempotencyKeys from '#/store/idempotency-keys.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import type { Watch } from '#/waiters.ts'

/** `answerBy`: when the order is answered, decided or not, by `performance.now()`. `stopping`: the process ends. */
type Needs = { db: Db; log: Log; stopping: AbortSignal; answerBy: number }

/** A replica that died while it waited leaves the key busy for so much longer than it would have waited. */
const BUSY_MARGIN_MS = 2_000

export const busyFor = (answerWithinMs: number): number => answerWithinMs + BUSY_MARGIN_MS

const render = responseRenderer(SendOrder)

type Waiting = { idempotency: IdempotencyScope | null; requestId: string; url: string }

/**
 * Waits for the order: the Order once its restaurant has it, or as it stands when time is up; throws the
 * Problem when it failed. What is final is kept under the idempotency key; a 5xx never is, so that a retry
 * tries again, and an undecided order is waited for again.
 */
export async function finalAnswer(
  needs: Needs,
  apiKey: string,
  watch: Watch,
  { idempotency: scope, requestId, url }: Waiting,
): Promise<Rendered> {
  const { db } = needs
  const used = scope && { ...scope, orderApiKey: apiKey }
  const standing = await standingOf(needs, apiKey, watch)
  if (standing.kind === 'failed') {
    const problem = Problem.refusal(standing.refusal)
    if (used && problem.status >= 500) await idempotencyKeys.forget(db, used)
    else if (used) {
      const body = JSON.stringify(problemDocument(problem, requestId, url))
      await idempotencyKeys.keep(db, used, { status: problem.status, body })
    }
    throw problem
  }
  const body = render(orderRecord(standing.order))
  if (used) {
    const isPending = standing.kind === 'pending'
    const written = isPending
      ? idempotencyKeys.letGo(db, used)
      : idempotencyKeys.keep(db, used, { status: 200, body })
    // The claim of the key expires by itself, and a retry reads the order again.
    await written.catch((error: unknown) => unlessUnavailable(needs, apiKey, error))
  }
  return new Rendered(body)
}

async function standingOf(needs: Needs, apiKey: string, watch: Watch): Promise<orders.Standing> {
  const { db, answerBy } = needs
  const withinMs = answerBy - performance.now()
  const decided = await watch.until((told) => decidedStanding(db, apiKey, told), withinMs)
  return decided ?? undecidedStanding(needs, apiKey)
}

/**
 * The mark comes before the answer: should the order fail later, it stays visible, as cancelled. A database that takes no
 * writes (a full disk) must not turn an accepted order into an error, after which a client without a key orders twice. The
 * mark is then written as soon as possible, whatever has become of the order.
 */
async function undecidedStanding(needs: Needs, apiKey: string): Promise<orders.Standing> {
  const { db, log, stopping } = needs
  try {
    await orders.tell(db, apiKey)
  } catch (error) {
    unlessUnavailable(needs, apiKey, error)
    void untilItWorks('mark an answered order', () => orders.markAnswered(db, apiKey), log, stopping)
  }
  return orders.standing(db, apiKey)
}

function unlessUnavailable({ log }: Needs, orderApiKey: string, error: unknown): void {
  if (!isAway(error)) throw error
  log.warn({ orderApiKey, err: error }, 'an answered order could not be marked yet')
}

async function decidedStanding(db: Db, apiKey: string, told: orders.Standing | null) {
  const standing = told ?? (await orders.standing(db, apiKey))
  return standing.kind === 'pending' ? null : standing
}
