import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { detachRemovedCards } from '#/detach-removed-cards.ts'

const cardsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ cardApiKey: `card${n}`, token: `tok_${n}` }))

/** Runs one round, in which the tokens in `failing` fail. Returns the remaining rows and the log lines. */
async function runRound(due: ReturnType<typeof cardsOf>, failing: readonly string[] = []) {
  const left = new Set(due.map(({ cardApiKey }) => cardApiKey))
  const lines: string[] = []
  const more = await detachRemovedCards({
    detachments: {
      takeDue: async (limit) => due.slice(0, limit),
      delete: async (cardApiKey) => void left.delete(cardApiKey),
    },
    detach: async (token) => {
      if (failing.includes(token)) throw new Error('payment-unavailable')
    },
    log: createLog('accounts', 'warn', { write: (line) => void lines.push(line) }),
  })
  return { more, left: [...left], lines }
}

test('the row of a detached card is deleted, and the row of a failed detachment stays', async () => {
  expect(await runRound(cardsOf(3), ['tok_1'])).toMatchObject({ more: false, left: ['card1'] })
})

test('failures are logged as one line with their number, without a token', async () => {
  const { lines } = await runRound(cardsOf(3), ['tok_0', 'tok_2'])
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ count: 2, level: 'warn' })
  expect(lines[0]).not.toContain('tok_')
})

test('a full page of 20 is followed by the next one at once, unless a detachment failed', async () => {
  expect(await runRound(cardsOf(20))).toMatchObject({ more: true, left: [] })
  expect((await runRound(cardsOf(20), ['tok_7'])).more).toBe(false)
  expect((await runRound([])).more).toBe(false)
})
