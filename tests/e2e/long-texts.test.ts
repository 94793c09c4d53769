import { expect, test } from 'vitest'
import { anOrder, cast, get, post, stack, type ProblemBody } from './client.ts'

/* A text that is too long costs its sender's neighbours nothing, whatever it is made of. */

/** Within the 64 KiB of a body. */
const BODY_TEXT = 60_000
/** Within the 16 KiB that Node reads of a head. */
const QUERY_TEXT = 15_000
const IN_FLIGHT = 8
const ORDERS = 9

const DIGITS = ['4', '4 ', '4242424242424242 ']
const LETTERS = 'x'

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (times: number[]) => times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0

/** How long an order of another application takes while one application sends eight such requests at a time. */
async function beside(send: () => Promise<unknown>): Promise<number> {
  const order = await anOrder(cast.aurora)
  const flood = { isOver: false }
  const senders = Array.from({ length: IN_FLIGHT }, async () => {
    while (!flood.isOver) await send()
  })
  const times: number[] = []
  for (let count = 0; count < ORDERS; count++)
    times.push(await msOf(() => post('validate-order', order, { key: stack().otherAccessKey })))
  flood.isOver = true
  await Promise.all(senders)
  return median(times)
}

const bodyOf = async (piece: string) => ({
  ...(await anOrder(cast.aurora)),
  comments: piece.repeat(BODY_TEXT / piece.length),
})

test.each(DIGITS)(
  'eight bodies at a time with 60 KB of "%s" delay the orders of others no more than letters do',
  async (piece) => {
    const [digits, letters] = [await bodyOf(piece), await bodyOf(LETTERS)]
    const refused = await post<ProblemBody>('validate-order', digits)
    // Its length alone: no other check looks at it.
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/comments', code: 'invalid-field' }] },
    })
    const besideLetters = await beside(() => post('validate-order', letters))
    const besideDigits = await beside(() => post('validate-order', digits))
    expect(besideDigits).toBeLessThan(2 * besideLetters + 50)
  },
)

const search = (piece: string) =>
  get<ProblemBody>(
    `restaurant/search?search=${encodeURIComponent(piece).repeat(QUERY_TEXT / piece.length / 3)}`,
  )

test.each(DIGITS)(
  'eight queries at a time with 5 KB or more of "%s" delay the orders of others no more than letters do',
  async (piece) => {
    expect(await search(piece)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'query/search' }] },
    })
    const besideLetters = await beside(() => search(LETTERS))
    const besideDigits = await beside(() => search(piece))
    expect(besideDigits).toBeLessThan(2 * besideLetters + 50)
  },
)
