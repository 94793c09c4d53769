import type { NewCard, Tokenize } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { declineOf, isCardDecline, refusalOf } from '#/domain/declines.ts'
import { unavailable, type Processor } from '#/outside/processor.ts'
import type { CardLimits } from '#/store/card-limits.ts'

type Deps = {
  processor: Pick<Processor, 'tokenize'>
  limits: CardLimits
  /** The setting RAW_CARDS. The gateway rejects card numbers first; this is the second check. */
  acceptsRawCards: boolean
}

/** Exchanges a card for a token. Card numbers end here: only a token, a brand and four digits leave this function. */
export const tokenize =
  ({ processor, limits, acceptsRawCards }: Deps): Handler<typeof Tokenize> =>
  async ({ body }) => {
    const card = sourceOf(body)
    if ('cardNumber' in card && !acceptsRawCards) throw new Problem('raw-card-not-accepted', RAW_CARD)
    const attempt = await limits.admit('cardNumber' in card ? card.cardNumber : card.processorToken, body.by)
    const result = await processor.tokenize(card, holderOf(body))
    if (result.kind === 'no') {
      const decline = declineOf(result)
      if (isCardDecline(decline)) await limits.countDecline(attempt)
      throw Problem.refusal(refusalOf(decline))
    }
    if (result.kind === 'unknown') throw unavailable(result.reason)
    await limits.linkToken(result.token, attempt)
    const { token, brand, lastFour, expirationMonth, expirationYear } = result
    return { token, brand, lastFour, expirationMonth, expirationYear }
  }

const RAW_CARD = 'Card numbers are not accepted. Send a processorToken instead.'

/** The schema guarantees one of the two forms. */
function sourceOf({ processorToken, cardNumber, cvv, expirationMonth, expirationYear }: NewCard) {
  if (processorToken) return { processorToken: processorToken.reveal() }
  if (!cardNumber || !cvv || expirationMonth === undefined || expirationYear === undefined)
    throw new Error('a card without its number and without a token was accepted')
  return { cardNumber: cardNumber.reveal(), cvv: cvv.reveal(), expirationMonth, expirationYear }
}

const holderOf = (card: NewCard) => ({
  name: card.cardholderName,
  street: card.cardholderStreetAddress,
  zip: card.cardholderZip,
})
