import type { Refusal } from '@platter/contracts'

/** Why an authorization was declined, as the row keeps it: a row of the problem catalogue and the processor's word. */
export type Decline = { code: DeclinedCode; declineCode: string }
type DeclinedCode = (typeof DECLINED_CODES)[number]
export const DECLINED_CODES = ['card-declined', 'card-expired', 'cvc-failed', 'payment-unavailable'] as const

/** The processor's codes for a definite no that is the card's fault. */
const CARD_CODES: Readonly<Record<string, DeclinedCode>> = {
  card_declined: 'card-declined',
  expired_card: 'card-expired',
  incorrect_cvc: 'cvc-failed',
}

/** Anything else that the processor refuses for good is no fault of the card: our key for it, a token of another account. */
export const declineOf = ({ code, declineCode }: { code: string; declineCode: string }): Decline => ({
  code: CARD_CODES[code] ?? 'payment-unavailable',
  declineCode,
})

/** Whether a definite no is the card's, and not ours. */
export const isCardsFault = ({ code }: { code: string }): boolean => Object.hasOwn(CARD_CODES, code)

const SENTENCES: Readonly<Record<DeclinedCode, string>> = {
  'card-declined': 'The card was declined. Please use another card.',
  'card-expired': 'The card has expired. Please use another card.',
  'cvc-failed': 'The verification value of the card is wrong.',
  'payment-unavailable': 'The payment is not possible at the moment. Nothing was charged.',
}
const SENTENCES_BY_DECLINE: Readonly<Record<string, string>> = {
  insufficient_funds: 'The card does not have sufficient funds. Please use another card.',
  processing_error: 'The card could not be processed. Please try again or use another card.',
}

/** The refusal as it is answered each time, fit to be shown to a person. */
export function refusalOf({ code, declineCode }: Decline): Refusal {
  if (code === 'payment-unavailable') return { code, detail: SENTENCES[code] }
  const more = code === 'card-declined' ? SENTENCES_BY_DECLINE[declineCode] : undefined
  return { code, detail: more ?? SENTENCES[code], declineCode }
}

/** To an authorization that comes after the release. The saga has moved on and does not listen. */
export const calledOff: Refusal = {
  code: 'payment-unavailable',
  detail: 'The payment was called off. Nothing was charged.',
}
