import { expect, test } from 'vitest'
import { requestTimes } from '#/request-times.ts'

const { deadline, relay, response, accessKey, question, connection, statement } = requestTimes
const { tokenize, processor, readCard, paymentReply, drain, exit } = requestTimes

/** How long send-order waits for its saga, from the arrival of the request. */
const wait = deadline - relay - response

test('the slowest check of an order leaves time to accept it', () => {
  expect(accessKey + 2 * question).toBeLessThan(wait)
})

test('responds 503 within 6 s when PostgreSQL is frozen, with or without an open connection', () => {
  expect(Math.max(connection, statement) + relay).toBeLessThan(6_000)
})

test('a machine that stands still for 3 s has time left to resolve an access key and to connect to PostgreSQL', () => {
  expect(Math.min(accessKey, connection)).toBeGreaterThan(3_000)
})

test('the slowest tokenization of a card leaves time to accept its order', () => {
  expect(tokenize).toBeLessThanOrEqual(wait)
})

test('the slowest read of a card at the processor leaves time for the reply to its question', () => {
  expect(readCard).toBeLessThan(0.75 * question)
})

test('a request to the processor times out before the request to payments does', () => {
  expect(processor).toBeLessThan(tokenize)
})

test('republishes a command to payments in the first half of the wait when it or its reply is lost', () => {
  /** The sweeper runs every 500 ms, ±20 %. */
  const sweep = 600
  expect(paymentReply + sweep).toBeLessThan(wait / 2)
})

test('a stopping process responds to pending orders before it closes their connections', () => {
  expect(wait).toBeLessThan(drain)
  expect(drain).toBeLessThan(exit)
})
