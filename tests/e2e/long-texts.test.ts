import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, get, post, stack, type ProblemBody } from './client.ts'

/* A long text of one client must not slow down other clients, with any content. */

/** Less than 64 KiB, the limit of a body. */
const BODY_TEXT = 60_000
/** Less than 16 KiB, the limit of Node for a head. */
const QUERY_TEXT = 15_000
const IN_FLIGHT = 8
const ORDERS = 2
/** Rounds with digits and with letters alternate, so that temporary other load does not affect all of them. */
const ROUNDS = 3

const DIGITS = ['4', '4 ', '4242424242424242 ']
const LETTERS = 'x'

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Returns the times of another application's orders while one application sends eight such requests at a time. */
async function orderTimesDuring(send: () => Promise<unknown>): Promise<number[]> {
  const order = await anOrder(seedRestaurants.aurora)
  const flood = { isOver: false }
  const senders = Array.from({ length: IN_FLIGHT }, async () => {
    while (!flood.isOver) await send()
  })
  const times: number[] = []
  for (let count = 0; count < ORDERS; count++)
    times.push(await msOf(() => post('validate-order', order, { key: stack().otherAccessKey })))
  flood.isOver = true
  await Promise.all(senders)
  return times
}

/**
 * When each text of digits took 110 to 190 ms of CPU, orders took 12 s instead of 88 ms: 136 times as long.
 * packages/contracts/src/card-number.unit.test.ts measures in CPU time that the search takes linear time.
 */
async function expectSimilarDelays(sendDigits: () => Promise<unknown>, sendLetters: () => Promise<unknown>) {
  const besideLetters: number[] = []
  const besideDigits: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    besideLetters.push(...(await orderTimesDuring(sendLetters)))
    besideDigits.push(...(await orderTimesDuring(sendDigits)))
  }
  expect(Math.min(...besideDigits)).toBeLessThan(5 * Math.min(...besideLetters) + 1_000)
}

const bodyOf = async (piece: string) => ({
  ...(await anOrder(seedRestaurants.aurora)),
  comments: piece.repeat(BODY_TEXT / piece.length),
})

test.each(DIGITS)(
  'eight concurrent 60 KB bodies of "%s" delay other orders at most 5 times as long as letters, plus 1 s',
  async (piece) => {
    const [digits, letters] = [await bodyOf(piece), await bodyOf(LETTERS)]
    const refused = await post<ProblemBody>('validate-order', digits)
    // Only the length is rejected: no other check reads the text.
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/comments', code: 'invalid-field' }] },
    })
    await expectSimilarDelays(
      () => post('validate-order', digits),
      () => post('validate-order', letters),
    )
  },
)

const search = (piece: string) =>
  get<ProblemBody>(
    `restaurant/search?search=${encodeURIComponent(piece).repeat(QUERY_TEXT / piece.length / 3)}`,
  )

test.each(DIGITS)(
  'eight concurrent 5 KB queries of "%s" delay other orders at most 5 times as long as letters, plus 1 s',
  async (piece) => {
    expect(await search(piece)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/search' }] },
    })
    await expectSimilarDelays(
      () => search(piece),
      () => search(LETTERS),
    )
  },
)
