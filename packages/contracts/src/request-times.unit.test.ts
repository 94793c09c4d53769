import { expect, test } from 'vitest'
import { requestTimes } from './request-times.ts'

const { gateway, answer, reserve, question, tokenize, processor, paymentReply } = requestTimes

test('an accepted order is answered before the gateway gives up', () => {
  expect(answer + reserve).toBeLessThan(gateway)
})

test('checking an order leaves most of the time to answer for its card and its saga', () => {
  expect(2 * question).toBeLessThanOrEqual(answer / 2)
})

test('payments hears from the processor, or gives up, before anybody gives up payments', () => {
  expect(processor).toBeLessThan(tokenize)
  expect(processor).toBeLessThan(paymentReply)
})

test('add-card is answered before the gateway gives up', () => {
  expect(tokenize + reserve).toBeLessThan(gateway)
})
