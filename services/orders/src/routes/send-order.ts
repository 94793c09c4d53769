import type { Bus } from '@platter/bus'
import type { OrderRequest, SendOrder, TokenizedCard } from '@platter/contracts'
import { newApiKey, Problem, type Handler } from '@platter/kit'
import { checkOrder } from '#/check-order.ts'
import type { Conductor } from '#/conductor.ts'
import { orderRecord, type PricedOrder } from '#/domain/order.ts'
import type { SavedAddress } from '#/domain/saga-row.ts'
import type { Tokenizer } from '#/outside/tokenize.ts'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import type { Waiters } from '#/waiters.ts'

type Needs = {
  db: Db
  bus: Bus
  conductor: Conductor
  waiters: Waiters
  tokenize: Tokenizer
  answerWithinMs: number
}

/**
 * Specification 4.1. Checks the order, exchanges a new card for a token, accepts the order (one commit), and
 * waits for its saga: the whole story of it is in `saga/send-order.saga.ts`.
 */
export function sendOrder({
  db,
  bus,
  conductor,
  waiters,
  tokenize,
  answerWithinMs,
}: Needs): Handler<typeof SendOrder> {
  return async ({ body, principal: { applicationId }, requestId }) => {
    const { order, savedCard } = await checkOrder(bus, body, { applicationId, requestId, now: Date.now() })
    const newCard = await tokenized(body, order, requestId)
    const newAddress = newAddressOf(body, order)
    const charged = order.payment === 'card' && !order.test
    const apiKey = newApiKey()
    await conductor.accept({
      apiKey,
      applicationId,
      requestId,
      order: withKeys(order, newCard, newAddress),
      facts: {
        total: order.total,
        token: charged ? ((newCard ?? savedCard)?.token ?? null) : null,
        userApiKey: order.recipientApiKey,
        newCard,
        newAddress,
      },
    })
    return orderRecord(await outcomeOf(apiKey))
  }

  /** A test order is never charged, so its card is not even shown to the processor. */
  async function tokenized(
    { card }: OrderRequest,
    order: PricedOrder,
    requestId: string,
  ): Promise<TokenizedCard | null> {
    if (!card || card.saved || order.test || !order.details.card) return null
    const { token, brand, lastFour } = await tokenize(card, requestId)
    return { ...order.details.card, apiKey: newApiKey(), brand, lastFour, token }
  }

  /** The order once its restaurant has it, or as it stands when time is up. Throws the Problem when it failed. */
  async function outcomeOf(apiKey: string) {
    const decided = await waiters.until(apiKey, () => decidedStanding(db, apiKey), answerWithinMs)
    if (!decided) await orders.tell(db, apiKey)
    const standing = decided ?? (await orders.standing(db, apiKey))
    if (standing.kind === 'failed') throw Problem.refusal(standing.refusal)
    return standing.order
  }
}

async function decidedStanding(db: Db, apiKey: string) {
  const standing = await orders.standing(db, apiKey)
  return standing.kind === 'pending' ? null : standing
}

/** A new address gets its apiKey now, as a new card does: the record shows the one that it will be saved under. */
const newAddressOf = ({ address }: OrderRequest, { details }: PricedOrder): SavedAddress | null =>
  address && !address.saved && details.address ? { ...details.address, apiKey: newApiKey() } : null

function withKeys(
  order: PricedOrder,
  newCard: TokenizedCard | null,
  newAddress: SavedAddress | null,
): PricedOrder {
  const { card, address } = order.details
  const keyedCard = card && newCard ? { ...card, apiKey: newCard.apiKey, brand: newCard.brand } : card
  return { ...order, details: { ...order.details, card: keyedCard, address: newAddress ?? address } }
}
