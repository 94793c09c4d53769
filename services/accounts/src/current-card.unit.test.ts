import type { CardDetails, TokenizedCard } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { currentCard } from '#/current-card.ts'

const TODAY = Date.UTC(2030, 5, 15)
const A_YEAR_MS = 366 * 86_400_000

const card: TokenizedCard = {
  apiKey: 'c1',
  token: 'tok_1',
  nickname: null,
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  lastFour: '4242',
  expirationMonth: '09',
  expirationYear: '30',
  brand: 'visa',
}
const replaced: CardDetails = {
  brand: 'visa',
  lastFour: '1881',
  expirationMonth: '01',
  expirationYear: '35',
}

/** Reads the card at `now`. The processor returns these details, null for an unknown card, or fails. */
async function readAt(now: number, atProcessor: CardDetails | null | Error) {
  const calls: unknown[] = []
  const current = currentCard({
    cards: { setDetails: async (token, details) => void calls.push({ token, details }) },
    readCard: async (token) => {
      calls.push(token)
      if (atProcessor instanceof Error) throw atProcessor
      return atProcessor
    },
    log: createLog('accounts', 'silent'),
    now: () => now,
  })
  return { card: await current(card), calls }
}

test('a card that has not expired is not read from the processor', async () => {
  expect(await readAt(TODAY, replaced)).toEqual({ card, calls: [] })
})

test('an expired card that its bank has replaced is returned and stored with the new details', async () => {
  expect(await readAt(TODAY + A_YEAR_MS, replaced)).toEqual({
    card: { ...card, ...replaced },
    calls: ['tok_1', { token: 'tok_1', details: replaced }],
  })
})

test.each([
  ['has expired at the processor too', { ...replaced, expirationYear: '31' }],
  ['is unknown to the processor', null],
  ['cannot be read', new Error('payment-unavailable')],
])('an expired card that %s is returned as it was stored', async (_, atProcessor) => {
  expect(await readAt(TODAY + A_YEAR_MS, atProcessor)).toEqual({ card, calls: ['tok_1'] })
})
