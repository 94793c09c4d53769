import type { CardUser, Tokenize } from '@platter/contracts'
import { Problem, type Handler, type Log } from '@platter/kit'
import { declineOf, isCardsFault, refusalOf } from '#/domain/refusals.ts'
import type { Processor } from '#/outside/processor.ts'
import type { CardLimits } from '#/store/card-limits.ts'

type Needs = { processor: Pick<Processor, 'tokenize'>; limits: CardLimits; log: Log }

/** Who asks has not said whose card it is: a replica of before we asked. */
const NOBODY: CardUser = { userApiKey: null, address: null, applicationId: null }

/** Card numbers end here: what leaves this function in any direction is a token, a brand and four digits. */
export const tokenize =
  ({ processor, limits, log }: Needs): Handler<typeof Tokenize> =>
  async ({ body, requestId }) => {
    const { cardNumber, cvv, expirationMonth, expirationYear, by = NOBODY } = body
    const shown = await limits.admit(cardNumber.reveal(), by)
    const answer = await processor.tokenize({
      cardNumber: cardNumber.reveal(),
      cvv: cvv.reveal(),
      expirationMonth,
      expirationYear,
    })
    if (answer.kind === 'no') {
      if (isCardsFault(answer)) await limits.declined(shown)
      throw Problem.refusal(refusalOf(declineOf(answer)))
    }
    if (answer.kind === 'unknown') {
      log.warn({ requestId, reason: answer.reason }, 'a card was not tokenized')
      throw new Problem('payment-unavailable', 'The payment processor cannot be reached. Please try again.')
    }
    limits.remember(answer.token, shown)
    return { token: answer.token, brand: answer.brand, lastFour: answer.lastFour }
  }
