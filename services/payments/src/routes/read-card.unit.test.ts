import { expect, test } from 'vitest'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import type { CardDetails } from '#/outside/processor.ts'
import { readCard } from '#/routes/read-card.ts'

const details = { brand: 'visa', lastFour: '1881', expirationMonth: '01', expirationYear: '45' }
const read = (result: ProcessorResult<CardDetails>) =>
  readCard({ processor: { card: async () => result } })({ body: { token: 'tok_1' } } as never)

test('returns the details of a card, or null for a card that the processor does not have', async () => {
  expect(await read({ kind: 'yes', ...details })).toEqual({ card: details })
  expect(await read({ kind: 'no', code: 'no_such_token', declineCode: 'no_such_token' })).toEqual({
    card: null,
  })
})

test('an unknown outcome is a payment-unavailable problem, not null', async () => {
  const unknown = { kind: 'unknown', reason: 'TimeoutError' } as const
  await expect(read(unknown)).rejects.toMatchObject({ code: 'payment-unavailable' })
})
