import type { Refusal } from '@platter/contracts'

/** Why an authorization was declined, as the row keeps it: a row of the problem catalogue and the processor's word. */
export type Decline = { code: DeclinedCode; declineCode: string }
type DeclinedCode = (typeof DECLINED_CODES)[number]
export const DECLINED_CODES = [
  'card-declined',
  'card-expired',
  'cvc-failed',
  'below-card-minimum',
  'total-too-large',
  'payment-not-possible',
  'payment-unavailable',
] as const

/** The processor's codes for a definite no that is the card's fault. */
const CARD_CODES = new Map<string, DeclinedCode>([
  ['card_declined', 'card-declined'],
  ['expired_card', 'card-expired'],
  ['incorrect_cvc', 'cvc-failed'],
])

/** The processor's codes for an amount that it never takes. */
const AMOUNT_CODES = new Map<string, DeclinedCode>([
  ['amount_too_small', 'below-card-minimum'],
  ['amount_too_large', 'total-too-large'],
])

/**
 * Any other definite no is neither the card's fault nor the amount's: a token of another account, a parameter that the
 * processor does not take. The same request would be refused each time, so the problem is not a retryable one.
 */
export const declineOf = ({ code, declineCode }: { code: string; declineCode: string }): Decline => ({
  code: CARD_CODES.get(code) ?? AMOUNT_CODES.get(code) ?? 'payment-not-possible',
  declineCode,
})

/** Whether a definite no is the card's, and not ours. */
export const isCardsFault = ({ code }: { code: string }): boolean => CARD_CODES.has(code)

/** Problems with the processor's word for them, `declineCode`. */
const CARD_PROBLEMS: ReadonlySet<DeclinedCode> = new Set(CARD_CODES.values())

const SENTENCES: Readonly<Record<DeclinedCode, string>> = {
  'card-declined': 'The card was declined. Please use another card.',
  'card-expired': 'The card has expired. Please use another card.',
  'cvc-failed': 'The verification value of the card is wrong.',
  'below-card-minimum': 'The total is below what can be paid by card. Order more, or pay in cash.',
  'total-too-large': 'The total is more than can be paid by card. Order fewer items, or pay in cash.',
  'payment-not-possible':
    'The payment processor does not accept this payment. Nothing was charged. Use another card, or pay in cash.',
  'payment-unavailable': 'The payment is not possible at the moment. Nothing was charged.',
}
const SENTENCES_BY_DECLINE: Readonly<Record<string, string>> = {
  insufficient_funds: 'The card does not have sufficient funds. Please use another card.',
  processing_error: 'The card could not be processed. Please try again or use another card.',
}

/** The refusal as it is answered each time, fit to be shown to a person. */
export function refusalOf({ code, declineCode }: Decline): Refusal {
  if (!CARD_PROBLEMS.has(code)) return { code, detail: SENTENCES[code] }
  const more = code === 'card-declined' ? SENTENCES_BY_DECLINE[declineCode] : undefined
  return { code, detail: more ?? SENTENCES[code], declineCode }
}

/** To an authorization that comes after the release. The saga has moved on and does not listen. */
export const calledOff: Refusal = {
  code: 'payment-unavailable',
  detail: 'The payment was called off. Nothing was charged.',
}
