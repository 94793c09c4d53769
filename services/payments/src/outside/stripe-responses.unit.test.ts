import { expect, test } from 'vitest'
import { settled } from '#/outside/stripe-responses.ts'

test('an error of the adapter has its place in the reason, without its message, and needs an operator', async () => {
  const failed = await settled(() => Promise.reject(new TypeError('no 4242424242424242')))
  expect(failed).toEqual({
    kind: 'unknown',
    reason: expect.stringMatching(/^TypeError +at .*stripe-responses\.unit\.test\.ts:\d+/),
    needsOperator: true,
  })
  expect(JSON.stringify(failed)).not.toContain('4242')
})
