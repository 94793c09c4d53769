import { expect, test } from 'vitest'
import { resultOf } from '#/outside/stripe-responses.ts'

test('an error of the adapter has its place in the reason, without its message, and needs an operator', async () => {
  const failed = await resultOf<never>(() => Promise.reject(new TypeError('no 4242424242424242')))
  expect(failed).toMatchObject({ kind: 'unknown', needsOperator: true })
  const reason = 'reason' in failed ? failed.reason : ''
  expect(reason).toMatch(/^TypeError +at .*stripe-responses\.unit\.test\.ts:\d+/)
  expect(reason).not.toContain('4242')
})
