import type { Bus } from '@platter/bus'
import {
  NewCardFields,
  requestTimes,
  epochSeconds,
  type OrderRequest,
  type SendOrder,
  type TokenizedCard,
} from '@platter/contracts'
import { newApiKey, type Call } from '@platter/kit'
import { askAccounts, type Caller, type CheckedOrder } from '#/placing/check-order.ts'
import { newOrder } from '#/domain/order-state.ts'
import { savedKey } from '#/domain/order-request.ts'
import { isCharged } from '#/domain/order.ts'
import { newSaga, type SendOrderFacts } from '#/domain/saga-row.ts'
import { claimMs } from '#/placing/respond-with-result.ts'
import type { NewOrder } from '#/saga/orchestrator.ts'

/** `newCard`: the new card of a charged order, with its token. */
export type Prepared = { apiKey: string; checked: CheckedOrder; newCard: TokenizedCard | null }

/**
 * Returns the order with its new card after the exchange. The checks did not know the card of a processor token; it is not saved
 * if the account has an equal one.
 */
export async function withExchangedCard(
  { bus }: { bus: Pick<Bus, 'ask'> },
  { order, saves, ...checked }: CheckedOrder,
  { token: _token, ...card }: TokenizedCard,
  caller: Caller,
): Promise<CheckedOrder> {
  const { recipientApiKey, details } = order
  const nothingElse = { recipientApiKey, cardApiKey: null, addressApiKey: null }
  const isUnknown = !details.card && recipientApiKey !== null
  const saving = isUnknown
    ? (await askAccounts(bus, { ...nothingElse, newCard: NewCardFields.parse(card) }, caller)).newCard
    : null
  const isSaved = saves.card || saving?.kind === 'room'
  const apiKey = isSaved ? card.apiKey : (details.card?.apiKey ?? savedKey(saving))
  return {
    ...checked,
    order: { ...order, details: { ...details, card: { ...card, apiKey } } },
    saves: { ...saves, card: isSaved },
  }
}

/** Returns a checked order with its saga, and the claim of its Idempotency-Key. */
export function newOrderOf(
  { body, principal: { applicationId }, requestId, deadline, idempotency }: Call<typeof SendOrder>,
  { apiKey, checked, newCard }: Prepared,
): NewOrder {
  const { order, savedCard, saves } = checked
  const { address } = order.details
  // Assigned here, so that the order has the apiKey of the saved address.
  const newAddress = saves.address && address ? { ...address, apiKey: newApiKey() } : null
  const facts: SendOrderFacts = {
    total: order.total,
    token: isCharged(order) ? ((newCard ?? savedCard)?.token ?? null) : null,
    userApiKey: order.recipientApiKey,
    newCard: saves.card ? newCard : null,
    newAddress,
    ...(isCharged(order) && chargeFactsOf(body, checked)),
    respondWithinMs: deadline.earlier(requestTimes.response).remainingMs,
  }
  const priced = { ...order, details: { ...order.details, address: newAddress ?? address } }
  return {
    applicationId,
    order: newOrder(apiKey, priced, epochSeconds()),
    saga: newSaga({ orderApiKey: apiKey, requestId, facts }),
    idempotency: idempotency && { scope: idempotency, claimMs: claimMs(deadline) },
  }
}

/** Returns the facts that the processor needs for a charge in addition to its amount and card. */
const chargeFactsOf = (
  { canAuthenticate, returnUrl }: OrderRequest,
  { recheck, restaurantName }: CheckedOrder,
): Pick<SendOrderFacts, 'authentication' | 'recheck' | 'restaurantName'> => ({
  ...(restaurantName !== undefined && { restaurantName }),
  ...(canAuthenticate === true && {
    authentication: { returnUrl: returnUrl ?? null },
    recheck,
  }),
})
