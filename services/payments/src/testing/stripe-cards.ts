/** The behaviour of test cards by number (docs.stripe.com/testing). All other numbers that pass the Luhn check are approved. */
type Behaviour =
  | { code: string; decline_code?: string }
  | 'approved'
  | 'requires-action'
  | 'declines-once-attached'

const CARDS: Readonly<Record<string, Behaviour>> = {
  '4242424242424242': 'approved',
  '4000000000000002': { code: 'card_declined', decline_code: 'generic_decline' },
  '4000000000009995': { code: 'card_declined', decline_code: 'insufficient_funds' },
  '4000000000000069': { code: 'expired_card' },
  '4000000000000127': { code: 'incorrect_cvc' },
  '4000000000000119': { code: 'processing_error' },
  '4000000000000341': 'declines-once-attached',
  '4000002500003155': 'requires-action',
  '4000002760003184': 'requires-action',
}

export const behaviourOf = (number: string): Behaviour => CARDS[number] ?? 'approved'
