import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { declineOf, refusalOf } from '#/domain/declines.ts'
import { noProcessor } from '#/outside/no-processor.ts'

const card = { cardNumber: '4242424242424242', cvv: '123', expirationMonth: '12', expirationYear: '30' }
const ALL = { from: 0, to: 1, after: null }

test('PROCESSOR=none refuses a card as payment-not-possible', async () => {
  const result = await noProcessor().tokenize(card)
  if (result.kind !== 'no') throw new Error('a card was accepted')
  expect(refusalOf(declineOf(result))).toMatchObject({ code: 'payment-not-possible' })
})

test('PROCESSOR=none returns unknown for authorizations, refunds and charges', async () => {
  const processor = noProcessor()
  const results = await Promise.all([
    processor.authorize({ idempotencyKey: 'k', token: 't', amount: cents(1), reference: 'o1' }),
    processor.refundPart({ idempotencyKey: 'k', id: 'ch_1', amount: cents(1) }),
    processor.charge('ch_1'),
  ])
  expect(results.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown'])
})

test('PROCESSOR=none lists no charges and no balance transactions', async () => {
  expect(await noProcessor().list(ALL)).toEqual({ kind: 'yes', charges: [], after: null })
  expect(await noProcessor().balanceTransactions(ALL)).toMatchObject({ balanceTransactions: [], after: null })
})
