import type { Refusal } from '@platter/contracts'

/** The reason of a decline as the row stores it: a code of the problem catalogue, and the processor's code. */
export type Decline = { code: DeclinedCode; declineCode: string }
type DeclinedCode = keyof typeof DETAILS

/** The processor's codes for a declined card. */
const CARD_CODES = new Map<string, DeclinedCode>([
  ['card_declined', 'card-declined'],
  ['expired_card', 'card-expired'],
  ['incorrect_cvc', 'cvc-failed'],
])

/** The processor's codes for an amount outside its limits. */
const AMOUNT_CODES = new Map<string, DeclinedCode>([
  ['amount_too_small', 'below-card-minimum'],
  ['amount_too_large', 'total-too-large'],
])

/**
 * Translates a final refusal of the processor. A refusal that concerns neither card nor amount (a token of another account, an
 * invalid parameter) becomes `payment-not-possible`. It is not retryable, because the same request would be refused again.
 */
export const declineOf = ({ code, declineCode }: { code: string; declineCode: string }): Decline => ({
  code: CARD_CODES.get(code) ?? AMOUNT_CODES.get(code) ?? 'payment-not-possible',
  declineCode,
})

/** The problems of a card. They carry the processor's code, `declineCode`. */
const CARD_PROBLEMS: ReadonlySet<DeclinedCode> = new Set(CARD_CODES.values())

/** Returns true for a refusal that concerns the card, not Platter's request. */
export const isCardDecline = ({ code }: Decline): boolean => CARD_PROBLEMS.has(code)

export const DETAILS = {
  'card-declined': 'The card was declined. Please use another card.',
  'card-expired': 'The card has expired. Please use another card.',
  'cvc-failed': 'The verification value of the card is wrong.',
  'below-card-minimum': 'The total is below the minimum for payment by card. Order more, or pay in cash.',
  'total-too-large': 'The total is above the maximum for payment by card. Order fewer items, or pay in cash.',
  'payment-not-possible':
    'The payment processor does not accept this payment. Nothing was charged. Use another card, or pay in cash.',
  'payment-unavailable': 'The payment is not possible at the moment. Nothing was charged.',
} as const
const DETAILS_BY_DECLINE_CODE: Readonly<Record<string, string>> = {
  authentication_required:
    "The card's bank requires a confirmation by its customer. Please use another card.",
  insufficient_funds: 'The card does not have sufficient funds. Please use another card.',
  processing_error: 'The card could not be processed. Please try again or use another card.',
}

/** Returns the refusal for the saga, whose `detail` may be shown to the card's owner. */
export function refusalOf({ code, declineCode }: Decline): Refusal {
  if (!isCardDecline({ code, declineCode })) return { code, detail: DETAILS[code] }
  return { code, detail: DETAILS_BY_DECLINE_CODE[declineCode] ?? DETAILS[code], declineCode }
}

/** The reply to an authorize command that arrives after the release. The saga ignores it as stale. */
export const RELEASED: Refusal = {
  code: 'payment-unavailable',
  detail: 'The payment was released. Nothing was charged.',
}
