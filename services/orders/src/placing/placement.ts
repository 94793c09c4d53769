import { requestTimes, type OrderRequest, type SendOrder, type TokenizedCard } from '@platter/contracts'
import { newApiKey, type Call } from '@platter/kit'
import type { CheckedOrder } from '#/placing/check-order.ts'
import { newOrder } from '#/domain/order-state.ts'
import { isCharged, type OrderCard, type PricedOrder } from '#/domain/order.ts'
import { newSaga, type SavedAddress, type SendOrderFacts } from '#/domain/saga-row.ts'
import { claimMs } from '#/placing/respond-with-result.ts'
import type { Placement } from '#/saga/orchestrator.ts'

/** `newCard`: the new card of a charged order, with its token. */
export type Prepared = { apiKey: string; checked: CheckedOrder; newCard: TokenizedCard | null }

/** Returns the rows of a checked order, and the claim of its Idempotency-Key. */
export function placementOf(
  { body, principal: { applicationId }, requestId, deadline, idempotency }: Call<typeof SendOrder>,
  { apiKey, checked, newCard }: Prepared,
): Placement {
  const { order, savedCard, saves } = checked
  const cardToSave = saves.card ? newCard : null
  const newAddress = saves.address ? newAddressOf(body, order) : null
  const facts: SendOrderFacts = {
    total: order.total,
    token: isCharged(order) ? ((newCard ?? savedCard)?.token ?? null) : null,
    userApiKey: order.recipientApiKey,
    newCard: cardToSave,
    newAddress,
    ...(isCharged(order) && chargeFactsOf(body, checked)),
    answeredBy: Math.floor((Date.now() + deadline.earlier(requestTimes.response).remainingMs) / 1_000),
  }
  const priced = withApiKeys(order, { newCard, cardToSave, newAddress })
  return {
    applicationId,
    order: newOrder(apiKey, priced, Math.floor(Date.now() / 1_000)),
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

/** Assigns an apiKey to a new address, like to a new card, so that the order's record has the apiKey of the saved address. */
const newAddressOf = ({ address }: OrderRequest, { details }: PricedOrder): SavedAddress | null =>
  address && !address.saved && details.address ? { ...details.address, apiKey: newApiKey() } : null

type Fresh = {
  newCard: TokenizedCard | null
  cardToSave: TokenizedCard | null
  newAddress: SavedAddress | null
}

/** Sets the apiKeys of the card and the address. A new card that is not saved has the apiKey of an equal saved card, or none. */
function withApiKeys(order: PricedOrder, { newCard, cardToSave, newAddress }: Fresh): PricedOrder {
  const { card, address } = order.details
  const keyedCard = newCard && {
    ...(card ?? withoutToken(newCard)),
    apiKey: cardToSave?.apiKey ?? card?.apiKey ?? null,
    brand: newCard.brand,
  }
  return { ...order, details: { ...order.details, card: keyedCard ?? card, address: newAddress ?? address } }
}

/** Returns the card of a processor token, which is unknown before the exchange. */
function withoutToken(newCard: TokenizedCard): OrderCard {
  const { token: _, ...card } = newCard
  return card
}
