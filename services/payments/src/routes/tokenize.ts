import type { Tokenize } from '@platter/contracts'
import { Problem, type Handler, type Log } from '@platter/kit'
import { declineOf, refusalOf } from '../domain/refusals.ts'
import type { Processor } from '../outside/processor.ts'

/** Card numbers end here: what leaves this function in any direction is a token, a brand and four digits. */
export const tokenize =
  (processor: Pick<Processor, 'tokenize'>, log: Log): Handler<typeof Tokenize> =>
  async ({ body, requestId }) => {
    const { cardNumber, cvv, expirationMonth, expirationYear } = body
    const answer = await processor.tokenize({
      cardNumber: cardNumber.reveal(),
      cvv: cvv.reveal(),
      expirationMonth,
      expirationYear,
    })
    if (answer.kind === 'no') throw Problem.refusal(refusalOf(declineOf(answer)))
    if (answer.kind === 'unknown') {
      log.warn({ requestId, reason: answer.reason }, 'a card was not tokenized')
      throw new Problem('payment-unavailable', 'The payment processor cannot be reached. Please try again.')
    }
    return { token: answer.token, brand: answer.brand, lastFour: answer.lastFour }
  }
