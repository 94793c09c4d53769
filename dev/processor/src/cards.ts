import { createHash, randomBytes } from 'node:crypto'
import { brandOf, isCardNumber } from '@platter/contracts'

/**
 * The result of an authorization with a token: approved, the reason of a decline, or the cardholder's authentication, each time or
 * the first time.
 */
const BEHAVIOURS = [
  'approved',
  'generic_decline',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'processing_error',
  'authenticate_always',
  'authenticate_first',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** See docs/test-cards.md. Every other number that passes the Luhn check is approved. */
const TEST_CARDS: Readonly<Record<string, Behaviour>> = {
  '4242424242424242': 'approved',
  '4000000000000002': 'generic_decline',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
  '4000002760003184': 'authenticate_always',
  '4000002500003155': 'authenticate_first',
}

/** Tokens that exist without a request, like the test tokens of a real processor. A wallet creates such a token on the device. */
const FIXED_TOKENS: Readonly<Record<string, { cardNumber: string }>> = {
  tok_visa: { cardNumber: '4242424242424242' },
  tok_mastercard: { cardNumber: '5555555555554444' },
  tok_apple_pay: { cardNumber: '4242424242424242' },
  tok_google_pay: { cardNumber: '5555555555554444' },
  tok_chargeDeclined: { cardNumber: '4000000000000002' },
}
const FIXED_EXPIRY = { expirationMonth: '12', expirationYear: '49' }

const TOKEN = /^tok_[0-9a-f]{24}_([a-z_]+)$/
/** 32 hexadecimal digits are an identifier, so they are not mistaken for a card number. */
const CLIENT_TOKEN = /^ctok_[0-9a-f]{32}_([a-z]+)_(\d{4})_(\d\d)(\d\d)_([a-z_]+)$/

type Token = { token: string; brand: string; lastFour: string }
type Expiry = { expirationMonth: string; expirationYear: string }

/**
 * Returns a token for a card, or null for an invalid number. The token contains only the behaviour of the card. Therefore the
 * number is not stored, and tokens outlive the process.
 */
export function tokenize(digits: string): Token | null {
  if (!isCardNumber(digits)) return null
  return { token: tokenFor(randomBytes(12), behaviourOfCard(digits)), ...shownOf(digits) }
}

/** Returns the token that a client exchanges, or null for an invalid number. It contains the result of the exchange. */
export function clientTokenOf(digits: string, { expirationMonth, expirationYear }: Expiry): string | null {
  if (!isCardNumber(digits)) return null
  const { brand, lastFour } = shownOf(digits)
  const id = `a${randomBytes(16).toString('hex').slice(1)}`
  return `ctok_${id}_${brand}_${lastFour}_${expirationMonth}${expirationYear}_${behaviourOfCard(digits)}`
}

/**
 * Exchanges the token of a client; null for an unknown token. The same client token always results in the same token, as under an
 * idempotency key.
 */
export function exchange(clientToken: string): (Token & Expiry) | null {
  const fixed = FIXED_TOKENS[clientToken]
  if (fixed) {
    const made = tokenize(fixed.cardNumber)
    return made && { ...made, ...FIXED_EXPIRY }
  }
  const parts = CLIENT_TOKEN.exec(clientToken)
  const behaviour = BEHAVIOURS.find((one) => one === parts?.[5])
  if (!parts || !behaviour) return null
  const [, brand = '', lastFour = '', expirationMonth = '', expirationYear = ''] = parts
  const token = tokenFor(createHash('sha256').update(clientToken).digest().subarray(0, 12), behaviour)
  return { token, brand, lastFour, expirationMonth, expirationYear }
}

const behaviourOfCard = (digits: string): Behaviour => TEST_CARDS[digits] ?? 'approved'
const shownOf = (digits: string) => ({ brand: brandOf(digits), lastFour: digits.slice(-4) })
const tokenFor = (id: Buffer, behaviour: Behaviour) => `tok_${id.toString('hex')}_${behaviour}`

/** Returns the behaviour in a token; null for an unknown token. */
export const behaviourOf = (token: string): Behaviour | null =>
  BEHAVIOURS.find((behaviour) => behaviour === TOKEN.exec(token)?.[1]) ?? null
