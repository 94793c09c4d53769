import { expect, test } from 'vitest'
import { requestTimes } from '#/request-times.ts'

const { deadline, relay, answer, accessKey, question, connection, statement } = requestTimes
const { tokenize, processor, paymentReply, drain, exit } = requestTimes

/** send-order waits for its saga until then, counted from the arrival of the request. */
const wait = deadline - relay - answer

test('the slowest check of an order leaves time to accept it', () => {
  expect(accessKey + 2 * question).toBeLessThan(wait)
})

test('503 within 6 s when PostgreSQL is frozen, whether or not there is a connection to it', () => {
  expect(Math.max(connection, statement) + relay).toBeLessThan(6_000)
})

test('a card that takes as long as it may leaves time to accept its order, or to save it', () => {
  expect(tokenize).toBeLessThanOrEqual(wait)
})

test('the processor answers payments, or is given up, before payments is given up', () => {
  expect(processor).toBeLessThan(tokenize)
})

test('a command to payments that is lost, or its reply, is republished in the first half of the time to answer', () => {
  /** The sweeper looks every 500 ms, ±20 %. */
  const sweep = 600
  expect(paymentReply + sweep).toBeLessThan(wait / 2)
})

test('a process that stops answers the orders that it waits for before it cuts their connections', () => {
  expect(wait).toBeLessThan(drain)
  expect(drain).toBeLessThan(exit)
})
