import type { Bus } from '@platter/bus'
import {
  newCardRecord,
  requestTimes,
  revealedCard,
  Tokenize,
  type Cents,
  type SendOrder,
  type TokenizedCard,
} from '@platter/contracts'
import {
  clientAddress,
  inFlight,
  isUnavailable,
  newApiKey,
  overloaded,
  OVERLOADED_HEADER,
  Problem,
  Rendered,
  type Call,
  type ConcurrencyLimit,
  type Deadline,
  type Handler,
  type internalCaller,
  type Log,
  type Permit,
} from '@platter/kit'
import { newOrderOf, withExchangedCard, type Prepared } from '#/placing/placement.ts'
import { checkOrder } from '#/placing/check-order.ts'
import { isCharged, type PlacedOrder, type PricedOrder } from '#/domain/order.ts'
import { respondWithResult, outcomeUnknown } from '#/placing/respond-with-result.ts'
import { replayOrResume, rethrowUnlessPlaced } from '#/placing/repeated-request.ts'
import { placing } from '#/saga/telemetry.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { isKeyConflict } from '#/store/idempotency-keys.ts'
import type { Stores } from '#/store/stores.ts'
import type { OrderNotifier } from '#/saga/order-notifier.ts'
import type { Subscription } from '#/saga/subscriptions.ts'

type Deps = Pick<Stores, 'idempotencyKeys' | 'orders' | 'sagas'> & {
  bus: Bus
  log: Log
  /** Aborted when the process stops. */
  stopping: AbortSignal
  cardMinimum: Cents
  orchestrator: Orchestrator
  notifier: OrderNotifier
  payments: ReturnType<typeof internalCaller>
  limit: ConcurrencyLimit
}

/** If the checks and commit 1 take longer, without waits, the gateway reduces its concurrency. They usually take 20 ms. */
const LATE_MS = 500
/** 125 orders per second while no restaurant responds, at 8 s each. */
const MAX_PENDING_REQUESTS = 1_000

/**
 * docs/specification.md, "Endpoints". Checks the order, exchanges a new card for a token, places the order (commit 1, which also
 * claims the idempotency key), and waits for its saga (`saga/domain/transition.ts`), all within the deadline. The request has a permit
 * except while it waits for the processor or the saga.
 */
export function sendOrder(deps: Deps): Handler<typeof SendOrder> {
  return async (call) => {
    const { principal, deadline } = call
    const { limit, notifier } = deps
    if (notifier.pending.size >= MAX_PENDING_REQUESTS) throw overloaded()
    using permit = limit.acquire(principal.applicationId)
    const repeated = await replayOrResume(deps, call, permit)
    if (repeated) return repeated
    const ready = await prepare(deps, call, permit).catch((error: unknown) =>
      rethrowUnlessPlaced(deps, call, { permit, error }),
    )
    if (ready instanceof Rendered) return ready
    // After the deadline the order would continue although its client receives an error.
    if (deadline.earlier(requestTimes.response).isOver) throw tooLate()
    const apiKey = newApiKey()
    using pending = notifier.pending.add(apiKey)
    const placed = await place(deps, call, { apiKey, pending, ...ready })
    call.setOrderApiKey(apiKey)
    if (permit.usedMs > LATE_MS) call.setHeader(OVERLOADED_HEADER, 'true')
    return await permit.suspend(() => respondWithResult(deps, { apiKey, placed, pending }, call))
  }
}

const tooLate = () =>
  new Problem(
    'service-unavailable',
    'The order could not be checked in time. Nothing was charged. Please try again.',
  )

/** Checks the order, and exchanges its new card for a token. Stores nothing. */
async function prepare(
  deps: Deps,
  call: Call<typeof SendOrder>,
  permit: Permit,
): Promise<Pick<Prepared, 'checked' | 'newCard'>> {
  const { body, requestId, deadline, principal } = call
  const { applicationId, mode } = principal
  const caller = { applicationId, mode, requestId, deadline, now: Date.now() }
  const checked = await checkOrder(deps, body, caller)
  const newCard = await permit.suspend(() => tokenizeNewCard(deps, call, checked.order))
  return { checked: newCard ? await withExchangedCard(deps, checked, newCard, caller) : checked, newCard }
}

/**
 * Exchanges a new card for the token that is charged, before the order is stored. The card of an order that is not charged (a test
 * order, a total of 0) is never sent to the processor.
 */
async function tokenizeNewCard(
  { payments }: Deps,
  { body: { card }, principal: { applicationId }, headers, requestId, deadline }: Call<typeof SendOrder>,
  order: PricedOrder,
): Promise<TokenizedCard | null> {
  if (!card || card.saved || !isCharged(order)) return null
  const by = { applicationId, userApiKey: order.recipientApiKey, address: clientAddress(headers) }
  const { token, ...exchanged } = await payments(
    Tokenize,
    { ...revealedCard(card), by },
    { requestId, deadline: deadline.earlier(requestTimes.response) },
  )
  return { ...newCardRecord(card, exchanged), apiKey: newApiKey(), token }
}

/**
 * Commits the order; a later crash does not lose it. Returns the order as committed, or null if the confirmation was lost but the
 * row exists. Throws `idempotency-in-flight` if a concurrent request has claimed the key.
 */
async function place(
  { sagas, orchestrator, log }: Deps,
  call: Call<typeof SendOrder>,
  prepared: Prepared & { pending: Subscription },
): Promise<PlacedOrder | null> {
  const { deadline } = call
  const { apiKey, pending } = prepared
  const order = newOrderOf(call, prepared)
  const committing = placing(apiKey, () => orchestrator.place(order))
  try {
    const placed = await deadline.race(committing)
    if (placed) return placed
  } catch (error) {
    if (isKeyConflict(error)) throw inFlight()
    if (!isUnavailable(error)) throw error
    // The commit may have succeeded without its confirmation.
    if (await wasCommitted(sagas, apiKey, { pending, deadline })) return null
    throw outcomeUnknown(error)
  }
  committing.then(
    () => log.warn({ orderApiKey: apiKey }, 'an order was placed after its request received a 503'),
    (error: unknown) =>
      log.warn({ orderApiKey: apiKey, err: error }, 'the commit of an order failed after its deadline'),
  )
  throw outcomeUnknown()
}

/** Returns whether the order's row exists. Waits for an unavailable database, at most 2 s. */
async function wasCommitted(
  sagas: Stores['sagas'],
  apiKey: string,
  { pending, deadline }: { pending: Subscription; deadline: Deadline },
): Promise<boolean> {
  const exists = async () => (await sagas.load(apiKey)) !== null
  const find = () => exists().catch(() => null)
  return (await deadline.race(pending.until(find, deadline.limit(2_000)))) ?? false
}
