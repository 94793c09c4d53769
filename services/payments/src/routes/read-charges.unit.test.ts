import { expect, test } from 'vitest'
import { readCharges } from '#/routes/read-charges.ts'

test('503 payment-unavailable when a page of charges cannot be read', async () => {
  const processor = { list: async () => ({ kind: 'unknown', reason: 'TimeoutError' }) as const }
  const body = { from: 0, to: 1, after: null }
  await expect(readCharges({ processor })({ body } as never)).rejects.toMatchObject({
    code: 'payment-unavailable',
  })
})
