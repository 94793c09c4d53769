import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import type { FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import { findCharges } from '#/routes/find-charges.ts'

const charge = { id: 'auth_1', amount: cents(1075), status: 'captured' } as const

function find(...results: ProcessorResult<{ found: FoundCharge[] }>[]) {
  const records = {
    references: async () => results.map((_, at) => ({ reference: `o${at}`, token: `tok_${at}` })),
  }
  const processor = {
    find: async ({ reference }: { reference: string }) => results[Number(reference.slice(1))]!,
  }
  return findCharges({ records, processor })({ body: { orderApiKeys: [] } } as never)
}

test('returns the charges of all orders, each with its order and its refunded amount', async () => {
  const refunded = { ...charge, id: 'auth_2', refunded: cents(300) }
  expect(await find({ kind: 'yes', found: [charge] }, { kind: 'yes', found: [refunded] })).toEqual({
    charges: [
      { ...charge, reference: 'o0' },
      { ...refunded, reference: 'o1' },
    ],
  })
})

test.each<ProcessorResult<never>>([
  { kind: 'unknown', reason: 'TimeoutError' },
  { kind: 'no', code: 'unauthorized', declineCode: 'unauthorized' },
])('503 when one order of several cannot be looked up: %j', async (failure) => {
  await expect(find({ kind: 'yes', found: [charge] }, failure)).rejects.toMatchObject({
    code: 'payment-unavailable',
  })
})
