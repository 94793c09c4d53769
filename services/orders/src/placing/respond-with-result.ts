import { requestTimes, SendOrder } from '@platter/contracts'
import {
  isUnavailable,
  Problem,
  problemDocument,
  Rendered,
  responseRenderer,
  retryUntilSuccess,
  type Deadline,
  type IdempotencyScope,
  type Log,
} from '@platter/kit'
import { resultOf, type OrderResult } from '#/domain/order-state.ts'
import { clientRecord, type PlacedOrder } from '#/domain/order.ts'
import type { OrderKey } from '#/store/idempotency-keys.ts'
import type { Stores } from '#/store/stores.ts'
import type { Subscription } from '#/saga/subscriptions.ts'

/** `stopping`: aborted when the process stops. */
type Deps = Pick<Stores, 'idempotencyKeys' | 'orders' | 'sagas'> & { log: Log; stopping: AbortSignal }

/** The claim of a replica that died expires this time after the deadline of its request. */
const CLAIM_MARGIN_MS = 2_000

/** Returns the duration for which a request claims its Idempotency-Key. */
export const claimMs = (deadline: Deadline): number => deadline.remainingMs + CLAIM_MARGIN_MS

/** For an unconfirmed commit: the order may or may not exist. */
export const outcomeUnknown = (cause?: unknown) =>
  new Problem(
    'service-unavailable',
    'It is unknown whether the order was placed. With an Idempotency-Key it is safe to retry.',
    { cause },
  )

const render = responseRenderer(SendOrder)

/** `placed`: the order as committed; null if only its apiKey is known. */
type Placed = { apiKey: string; placed: PlacedOrder | null; pending: Subscription }
type Waiting = { deadline: Deadline; idempotency: IdempotencyScope | null; requestId: string; url: string }

/**
 * Waits for the result of the order. Returns the Order once its restaurant has accepted it, or its last known state shortly before
 * the deadline. Throws the Problem of a failed order. A final response completes the idempotency key, a 5xx deletes the key, and the
 * response with a pending order releases the claim. While PostgreSQL is unavailable, the response is delayed until the deadline at
 * most. The response to a request that has placed its order is never an error, unless the order has failed.
 */
export async function respondWithResult(
  deps: Deps,
  order: Placed,
  { deadline, idempotency, requestId, url }: Waiting,
): Promise<Rendered> {
  const result = await waitForResult(deps, order, deadline)
  const response =
    result.kind === 'failed'
      ? Problem.refusal(result.refusal)
      : new Rendered(render(clientRecord(result.order)))
  if (idempotency) {
    const used = { ...idempotency, orderApiKey: order.apiKey }
    const isPending = result.kind === 'pending'
    const written = updateKey(deps, used, { response, isPending, requestId, url })
    // Otherwise the claim expires, and a retry reads the order.
    await deadline.race(written.catch((error: unknown) => nullIfUnavailable(deps, order.apiKey, error)))
  }
  if (response instanceof Problem) throw response
  return response
}

type Completed = { response: Problem | Rendered; isPending: boolean; requestId: string; url: string }

function updateKey(
  { idempotencyKeys }: Deps,
  used: OrderKey,
  { response, isPending, requestId, url }: Completed,
): Promise<void> {
  if (isPending) return idempotencyKeys.release(used)
  const { status } = response
  if (!(response instanceof Problem))
    return idempotencyKeys.complete(used, { status, body: String(response.body) })
  if (status >= 500) return idempotencyKeys.delete(used)
  return idempotencyKeys.complete(used, {
    status,
    body: JSON.stringify(problemDocument(response, requestId, url)),
  })
}

async function waitForResult(deps: Deps, { apiKey, placed, pending }: Placed, deadline: Deadline) {
  const { orders, log, stopping } = deps
  const last: { order: PlacedOrder | null } = { order: placed }
  const read = async (known: OrderResult | null): Promise<OrderResult | null> => {
    const result = known ?? (await findResult(deps, apiKey))
    if (result.kind !== 'pending') return result
    last.order = result.order
    return result.order.paymentAction ? pendingResult(deps, apiKey) : null
  }
  const readIfAvailable = (known: OrderResult | null) =>
    read(known).catch((error: unknown) => nullIfUnavailable(deps, apiKey, error))
  const wait = deadline.earlier(requestTimes.response)
  const decided = await wait.race(pending.until(readIfAvailable, wait.remainingMs))
  // A read that does not return must not hide a failure that an event has reported in the meantime.
  const reported = pending.known?.kind === 'failed' ? pending.known : null
  const result = decided ?? reported ?? (await deadline.race(pendingResult(deps, apiKey)))
  if (result) return result
  if (!last.order) throw outcomeUnknown()
  // Not after a 503: its order may have failed, and an earlier request may have received that failure.
  void retryUntilSuccess('mark a returned order', () => orders.markReturned(apiKey), log, stopping)
  return { kind: 'pending', order: last.order } as const
}

async function findResult({ sagas }: Deps, apiKey: string): Promise<OrderResult> {
  const loaded = await sagas.load(apiKey)
  if (!loaded) throw new Error(`order ${apiKey} does not exist`)
  return resultOf(loaded.order, loaded.saga.state.refusal)
}

/**
 * Marks the pending order as returned before the response, so that it stays visible as cancelled if it fails later. Returns null if
 * PostgreSQL accepts no writes (a full disk). An error would make a client without an Idempotency-Key send the order twice.
 */
async function pendingResult(deps: Deps, apiKey: string): Promise<OrderResult | null> {
  try {
    await deps.orders.markReturnedIfPending(apiKey)
    return await findResult(deps, apiKey)
  } catch (error) {
    return nullIfUnavailable(deps, apiKey, error)
  }
}

function nullIfUnavailable({ log }: Deps, orderApiKey: string, error: unknown): null {
  if (!isUnavailable(error)) throw error
  log.warn({ orderApiKey, err: error }, 'PostgreSQL is unavailable for the response to a placed order')
  return null
}
