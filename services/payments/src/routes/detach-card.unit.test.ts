import { expect, test } from 'vitest'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { detachCard } from '#/routes/detach-card.ts'

const detach = (result: ProcessorResult<unknown>) =>
  detachCard({ processor: { detach: async () => result } })({ body: { token: 'tok_1' } } as never)

test('returns detached: true, or false for a token that the processor does not have', async () => {
  expect(await detach({ kind: 'yes' })).toEqual({ detached: true })
  expect(await detach({ kind: 'no', code: 'no_such_token', declineCode: 'no_such_token' })).toEqual({
    detached: false,
  })
})

test('an unknown outcome is a payment-unavailable problem', async () => {
  const unknown = { kind: 'unknown', reason: 'TimeoutError' } as const
  await expect(detach(unknown)).rejects.toMatchObject({ code: 'payment-unavailable' })
})
