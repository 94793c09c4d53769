/** A test card that is declined: when it is attached to a Customer, when it is charged, or unless its owner authenticates. */
type DeclinedCard = {
  declinedAt: 'attach' | 'charge' | 'authentication'
  decline: { code: string; decline_code?: string }
}

const declined = (
  declinedAt: DeclinedCard['declinedAt'],
  code: string,
  decline_code?: string,
): DeclinedCard => ({ declinedAt, decline: { code, ...(decline_code !== undefined && { decline_code }) } })

// docs.stripe.com/payments/without-card-authentication
const AUTHENTICATION = declined('authentication', 'authentication_required', 'authentication_not_handled')

/** docs.stripe.com/testing. All other numbers that pass the Luhn check are approved. */
const CARDS: Readonly<Record<string, DeclinedCard>> = {
  '4000000000000002': declined('attach', 'card_declined', 'generic_decline'),
  '4000000000009995': declined('attach', 'card_declined', 'insufficient_funds'),
  '4000000000000069': declined('attach', 'expired_card'),
  '4000000000000127': declined('attach', 'incorrect_cvc'),
  '4000000000000119': declined('attach', 'processing_error'),
  '4000000000000341': declined('charge', 'card_declined', 'generic_decline'),
  '4000002500003155': AUTHENTICATION,
  '4000002760003184': AUTHENTICATION,
}

export const declinedCardOf = (number: string): DeclinedCard | null => CARDS[number] ?? null
