import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import type { Effect, ProcessorResult } from '#/domain/processor-result.ts'
import { countedProcessor } from '#/outside/counted-processor.ts'
import type { Processor } from '#/outside/processor.ts'

const call = { idempotencyKey: 'k', reference: 'o1', amount: cents(1075), token: 'tok_1' }

async function countedTokens(result: ProcessorResult<Effect>, fails = false) {
  const counted: string[] = []
  const limits = {
    async countDeclineOfToken(token: string) {
      counted.push(token)
      if (fails) throw new Error('no Redis')
    },
  }
  const processor = { authorize: async () => result } as Partial<Processor> as Processor
  const log = createLog('payments', 'silent')
  expect(await countedProcessor({ processor, limits, log }).authorize(call)).toBe(result)
  return counted
}

test('counts a declined card by its token', async () => {
  expect(await countedTokens({ kind: 'no', code: 'card_declined', declineCode: 'stolen_card' })).toEqual([
    'tok_1',
  ])
})

test.each<ProcessorResult<Effect>>([
  { kind: 'yes', id: 'auth_1', amount: cents(1075) },
  { kind: 'unknown', reason: 'TimeoutError' },
  { kind: 'no', code: 'amount_too_small', declineCode: 'amount_too_small' },
])('counts no decline for %j', async (result) => {
  expect(await countedTokens(result)).toEqual([])
})

test('returns the decline even when it cannot be counted', async () => {
  const declined = { kind: 'no', code: 'expired_card', declineCode: 'expired_card' } as const
  expect(await countedTokens(declined, true)).toEqual(['tok_1'])
})
