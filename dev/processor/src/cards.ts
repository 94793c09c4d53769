import { randomBytes } from 'node:crypto'
import { brandOf, isCardNumber } from '@platter/contracts'

/** What an authorization of a token comes to: approved, or declined for this reason. */
export const BEHAVIOURS = [
  'approved',
  'generic_decline',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'processing_error',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** docs/test-cards.md. Every other number that passes the Luhn check is approved. */
const TEST_CARDS: Readonly<Record<string, Behaviour>> = {
  '4242424242424242': 'approved',
  '4000000000000002': 'generic_decline',
  '4000000000009995': 'insufficient_funds',
  '4000000000000069': 'expired_card',
  '4000000000000127': 'incorrect_cvc',
  '4000000000000119': 'processing_error',
}

const TOKEN = /^tok_[0-9a-f]{24}_([a-z_]+)$/

/**
 * A token for a card, or null when the digits are no card number. The token tells how the card behaves and
 * nothing else, so the number is forgotten with this call and tokens outlive the process.
 */
export function tokenize(digits: string): { token: string; brand: string; lastFour: string } | null {
  if (!isCardNumber(digits)) return null
  const behaviour = TEST_CARDS[digits] ?? 'approved'
  const token = `tok_${randomBytes(12).toString('hex')}_${behaviour}`
  return { token, brand: brandOf(digits), lastFour: digits.slice(-4) }
}

/** How the card behind a token behaves; null for what is no token of ours. */
export const behaviourOf = (token: string): Behaviour | null =>
  BEHAVIOURS.find((behaviour) => behaviour === TOKEN.exec(token)?.[1]) ?? null
