import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, get, post, stack, type ProblemBody } from './client.ts'

/* A long text of one client must not slow down other clients, with any content. */

/** Less than 64 KiB, the limit of a body. */
const BODY_TEXT = 60_000
/** Less than 16 KiB, the limit of Node for a head. */
const QUERY_TEXT = 15_000
const IN_FLIGHT = 8
/** Other load may delay the orders of one round, but not of all. */
const ROUNDS = 3

const DIGITS = ['4', '4 ', '4242424242424242 ']
const LETTERS = 'x'

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Returns the time of another application's order while one application sends eight such requests at a time. */
async function orderTimeDuring(send: () => Promise<unknown>): Promise<number> {
  const order = await anOrder(seedRestaurants.aurora)
  const flood = { isOver: false }
  const senders = Array.from({ length: IN_FLIGHT }, async () => {
    while (!flood.isOver) await send()
  })
  const time = await msOf(() => post('validate-order', order, { key: stack().otherAccessKey }))
  flood.isOver = true
  await Promise.all(senders)
  return time
}

/**
 * When each text of digits took 110 to 190 ms of CPU, orders took 12 s instead of 88 ms: 136 times as long.
 * packages/contracts/src/card-number.unit.test.ts measures in CPU time that the search takes linear time.
 */
async function expectSimilarDelays(send: (piece: string) => Promise<unknown>) {
  const excesses: number[] = []
  for (let round = 0; round < ROUNDS && Math.min(...excesses) > 0; round++) {
    const besideLetters = await orderTimeDuring(() => send(LETTERS))
    const besideDigits: number[] = []
    for (const piece of DIGITS) besideDigits.push(await orderTimeDuring(() => send(piece)))
    excesses.push(Math.max(...besideDigits) - (5 * besideLetters + 1_000))
  }
  expect(Math.min(...excesses)).toBeLessThanOrEqual(0)
}

test('eight concurrent 60 KB bodies of digits delay other orders at most 5 times as long as letters, plus 1 s', async () => {
  const order = await anOrder(seedRestaurants.aurora)
  const send = (piece: string) =>
    post<ProblemBody>('validate-order', { ...order, comments: piece.repeat(BODY_TEXT / piece.length) })
  // Only the length is rejected: no other check reads the text.
  for (const piece of DIGITS)
    expect(await send(piece)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/comments', code: 'invalid-field' }] },
    })
  await expectSimilarDelays(send)
})

const search = (piece: string) =>
  get<ProblemBody>(
    `restaurant/search?search=${encodeURIComponent(piece).repeat(QUERY_TEXT / piece.length / 3)}`,
  )

test('eight concurrent 5 KB queries of digits delay other orders at most 5 times as long as letters, plus 1 s', async () => {
  for (const piece of DIGITS)
    expect(await search(piece)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/search' }] },
    })
  await expectSimilarDelays(search)
})
