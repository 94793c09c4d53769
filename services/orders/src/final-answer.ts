import { SendOrder } from '@platter/contracts'
import { Problem, problemDocument, Rendered, responseRenderer, type IdempotencyScope } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import * as idempotencyKeys from '#/store/idempotency-keys.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import type { Watch } from '#/waiters.ts'

/** `answerBy`: when the order is answered, decided or not, by `performance.now()`. */
type Needs = { db: Db; answerBy: number }

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
  if (used && standing.kind === 'pending') await idempotencyKeys.letGo(db, used)
  else if (used) await idempotencyKeys.keep(db, used, { status: 200, body })
  return new Rendered(body)
}

async function standingOf({ db, answerBy }: Needs, apiKey: string, watch: Watch): Promise<orders.Standing> {
  const withinMs = answerBy - performance.now()
  const decided = await watch.until((told) => decidedStanding(db, apiKey, told), withinMs)
  if (decided) return decided
  await orders.tell(db, apiKey)
  return orders.standing(db, apiKey)
}

async function decidedStanding(db: Db, apiKey: string, told: orders.Standing | null) {
  const standing = told ?? (await orders.standing(db, apiKey))
  return standing.kind === 'pending' ? null : standing
}
