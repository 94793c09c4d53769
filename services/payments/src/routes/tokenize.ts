import type { CardUser, Tokenize } from '@platter/contracts'
import { Problem, type Handler, type Log } from '@platter/kit'
import { declineOf, isCardDecline, refusalOf } from '#/domain/declines.ts'
import type { Processor } from '#/outside/processor.ts'
import type { CardLimits } from '#/store/card-limits.ts'

type Deps = { processor: Pick<Processor, 'tokenize'>; limits: CardLimits; log: Log }

/** For callers of a version that does not send `by` yet. */
const UNKNOWN_USER: CardUser = { userApiKey: null, address: null, applicationId: null }

/** Card numbers end here: only a token, a brand and four digits leave this function. */
export const tokenize =
  ({ processor, limits, log }: Deps): Handler<typeof Tokenize> =>
  async ({ body, requestId }) => {
    const { cardNumber, cvv, expirationMonth, expirationYear, by = UNKNOWN_USER } = body
    const attempt = await limits.admit(cardNumber.reveal(), by)
    const result = await processor.tokenize({
      cardNumber: cardNumber.reveal(),
      cvv: cvv.reveal(),
      expirationMonth,
      expirationYear,
    })
    if (result.kind === 'no') {
      if (isCardDecline(result)) await limits.countDecline(attempt)
      throw Problem.refusal(refusalOf(declineOf(result)))
    }
    if (result.kind === 'unknown') {
      log.warn({ requestId, reason: result.reason }, 'a card was not tokenized')
      throw new Problem('payment-unavailable', 'The payment processor is unavailable. Please try again.')
    }
    limits.linkToken(result.token, attempt)
    return { token: result.token, brand: result.brand, lastFour: result.lastFour }
  }
