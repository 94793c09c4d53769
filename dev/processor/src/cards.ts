import { randomBytes } from 'node:crypto'
import { brandOf, isCardNumber } from '@platter/contracts'

/**
 * The result of an authorization of a token: approved, the reason of the decline, or an authentication of its owner each time or
 * the first time.
 */
export const BEHAVIOURS = [
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

const TOKEN = /^tok_[0-9a-f]{24}_([a-z_]+)$/

/**
 * Returns a token for a card, or null for an invalid number. The token contains the behaviour of the card and nothing else. So
 * the number is stored nowhere, and tokens outlive the process.
 */
export function tokenize(digits: string): { token: string; brand: string; lastFour: string } | null {
  if (!isCardNumber(digits)) return null
  const behaviour = TEST_CARDS[digits] ?? 'approved'
  const token = `tok_${randomBytes(12).toString('hex')}_${behaviour}`
  return { token, brand: brandOf(digits), lastFour: digits.slice(-4) }
}

/** Returns the behaviour in a token; null for an unknown token. */
export const behaviourOf = (token: string): Behaviour | null =>
  BEHAVIOURS.find((behaviour) => behaviour === TOKEN.exec(token)?.[1]) ?? null
