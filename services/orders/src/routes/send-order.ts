import type { Bus } from '@platter/bus'
import type { Cents, OrderRequest, SendOrder, TokenizedCard } from '@platter/contracts'
import {
  clientAddress,
  inFlight,
  isAway,
  mismatch,
  newApiKey,
  overloaded,
  Rendered,
  type Call,
  type Handler,
  type InHand,
  type Intake,
  type Log,
} from '@platter/kit'
import { checkOrder, type CheckedOrder } from '#/check-order.ts'
import type { Conductor } from '#/conductor.ts'
import { isCharged, type PricedOrder } from '#/domain/order.ts'
import type { SavedAddress, SendOrderFacts } from '#/domain/saga-row.ts'
import { busyFor, finalAnswer } from '#/final-answer.ts'
import type { Tokenizer } from '#/outside/tokenize.ts'
import { accepting } from '#/saga-telemetry.ts'
import * as idempotencyKeys from '#/store/idempotency-keys.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import type { Waiters, Watch } from '#/waiters.ts'

type Needs = {
  db: Db
  bus: Bus
  log: Log
  /** The process ends. */
  stopping: AbortSignal
  cardMinimum: Cents
  conductor: Conductor
  waiters: Waiters
  tokenize: Tokenizer
  intake: Intake
  answerWithinMs: number
}

/** Requests of a replica that wait for their orders: of 125 a second, when all go to restaurants that never answer. */
const WAITING_AT_MOST = 1_000
/** An order that is decided is answered by then. */
const ANSWERED_WITHIN_MS = 100

/**
 * Specification 4.1. Checks the order, exchanges a new card for a token, accepts the order (one commit), and
 * waits for its saga: what happens to it there is written in `saga/send-order.saga.ts`.
 */
export function sendOrder(needs: Needs): Handler<typeof SendOrder> {
  return async (call) => {
    // One time for all that a request does: from here to the answer, whatever the check and the card take of it.
    const answerBy = performance.now() + needs.answerWithinMs
    const repeated = await answerOfRepeated(needs, call, answerBy)
    if (repeated) return repeated
    const { body, principal, requestId } = call
    const { applicationId, mode } = principal
    const { intake, waiters } = needs
    if (waiters.count >= WAITING_AT_MOST) throw overloaded()
    const caller = { applicationId, mode, requestId, now: Date.now() }
    using inHand = intake.enter(applicationId)
    const checked = await checkOrder(needs, body, caller)
    const newCard = await tokenized(needs.tokenize, call, checked.order, answerBy)
    const apiKey = newApiKey()
    using watch = waiters.watch(apiKey, () => heard(inHand, call))
    await accept(needs, call, { apiKey, watch, checked, newCard })
    call.concerns(apiKey)
    return await finalAnswer({ ...needs, answerBy }, apiKey, watch, call)
  }
}

/** Whatever is said of an order first: it is decided, and answered at once, or its restaurant is slow: the gateway counts along. */
function heard(inHand: InHand, { processing }: Call<typeof SendOrder>): void {
  inHand.over()
  setTimeout(processing, ANSWERED_WITHIN_MS)
}

/**
 * What a request is answered whose Idempotency-Key was used before; null for a new one. A refusal before the
 * order was accepted keeps no key: nothing has begun, and the mended request may use it.
 */
async function answerOfRepeated(
  needs: Needs,
  call: Call<typeof SendOrder>,
  answerBy: number,
): Promise<Rendered | null> {
  if (!call.idempotency) return null
  const used = await idempotencyKeys.use(needs.db, call.idempotency, busyFor(needs.answerWithinMs))
  switch (used?.kind) {
    case undefined:
      return null
    case 'mismatch':
      throw mismatch()
    case 'running':
      throw inFlight()
    case 'kept':
      call.setHeader('idempotent-replayed', 'true')
      return new Rendered(used.body, used.status)
    case 'resumed':
      return resume({ ...needs, answerBy }, used.orderApiKey, call)
  }
}

/** The order was accepted before, and may be decided already. */
async function resume(
  needs: Needs & { answerBy: number },
  orderApiKey: string,
  call: Call<typeof SendOrder>,
): Promise<Rendered> {
  using watch = needs.waiters.watch(orderApiKey)
  watch.wake()
  return await finalAnswer(needs, orderApiKey, watch, call)
}

/** The processor never sees the card of an order that is not charged: a test order, or a total of 0. */
async function tokenized(
  tokenize: Tokenizer,
  { body: { card }, principal: { applicationId }, headers, requestId }: Call<typeof SendOrder>,
  order: PricedOrder,
  answerBy: number,
): Promise<TokenizedCard | null> {
  const { details, recipientApiKey: userApiKey } = order
  if (!card || card.saved || !isCharged(order) || !details.card) return null
  const { token, brand, lastFour } = await tokenize(
    card,
    { applicationId, userApiKey, address: clientAddress(headers) },
    requestId,
    answerBy - performance.now(),
  )
  return { ...details.card, apiKey: newApiKey(), brand, lastFour, token }
}

type Accepting = { apiKey: string; watch: Watch; checked: CheckedOrder; newCard: TokenizedCard | null }

/** Commits the order; from here on it is not lost. The key of another request that was faster is `idempotency-in-flight`. */
async function accept(
  needs: Needs,
  { body, principal, requestId, idempotency }: Call<typeof SendOrder>,
  { apiKey, watch, checked, newCard }: Accepting,
): Promise<void> {
  const { conductor, answerWithinMs } = needs
  const { order, savedCard, saves } = checked
  const cardToSave = saves.card ? newCard : null
  const newAddress = saves.address ? newAddressOf(body, order) : null
  const facts: SendOrderFacts = {
    total: order.total,
    token: isCharged(order) ? ((newCard ?? savedCard)?.token ?? null) : null,
    userApiKey: order.recipientApiKey,
    newCard: cardToSave,
    newAddress,
  }
  try {
    const acceptance = {
      apiKey,
      applicationId: principal.applicationId,
      requestId,
      order: withKeys(order, { newCard, cardToSave, newAddress }),
      facts,
      idempotency: idempotency && { scope: idempotency, busyMs: busyFor(answerWithinMs) },
    }
    await accepting(apiKey, () => conductor.accept(acceptance))
  } catch (error) {
    if (idempotencyKeys.isTaken(error)) throw inFlight()
    // The commit may have happened all the same, its confirmation lost: the row tells.
    if (!isAway(error) || !(await isThere(needs.db, apiKey, watch))) throw error
  }
}

/** A database that was away is given two seconds to come back and tell. */
async function isThere(db: Db, apiKey: string, watch: Watch): Promise<boolean> {
  const exists = () => orders.exists(db, apiKey).catch(() => null)
  return (await watch.until(exists, 2_000)) ?? false
}

/** A new address gets its apiKey now, as a new card does: the record shows the one that it will be saved under. */
const newAddressOf = ({ address }: OrderRequest, { details }: PricedOrder): SavedAddress | null =>
  address && !address.saved && details.address ? { ...details.address, apiKey: newApiKey() } : null

type Fresh = {
  newCard: TokenizedCard | null
  cardToSave: TokenizedCard | null
  newAddress: SavedAddress | null
}

/** A new card that is not to be saved keeps the apiKey under which the same one is saved already, or has none. */
function withKeys(order: PricedOrder, { newCard, cardToSave, newAddress }: Fresh): PricedOrder {
  const { card, address } = order.details
  const keyedCard = card &&
    newCard && { ...card, apiKey: cardToSave?.apiKey ?? card.apiKey, brand: newCard.brand }
  return { ...order, details: { ...order.details, card: keyedCard ?? card, address: newAddress ?? address } }
}
