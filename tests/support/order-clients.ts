import { setTimeout as wait } from 'node:timers/promises'
import type { Order } from '@platter/contracts'
import { Api, type Answer, type Target } from './api.ts'
import { card, cardNumbers, cast, pickup } from './cast.ts'
import { randomOf, type Random } from './random.ts'

/** The kind of an order, which decides how it has to end. The customer of a challenged one says yes at the bank. */
export type Kind = 'cash' | 'card' | 'challenged' | 'declined' | 'refused' | 'test'

/** One order in a client's own book. `key` is its Idempotency-Key and its comment. */
export type Entry = {
  key: string
  kind: Kind
  tries: number
  /** The final response; null while there is none. */
  answer: Recorded | null
}
type Recorded = { status: number; apiKey: string | null; code: string | null; totalCents: number | null }

/** With the time from the first try to the final response. */
export type Timed = Entry & { ms: number }

const MIX: readonly Kind[] = [
  'card',
  'card',
  'card',
  'challenged',
  'cash',
  'cash',
  'declined',
  'refused',
  'test',
]

const NUMBERS: Partial<Record<Kind, string>> = {
  declined: cardNumbers.declined,
  challenged: cardNumbers.challenged,
}

/** A client cancels a request after this time and repeats it under the same key, as a person would. */
export const ANSWER_WITHIN_MS = 12_000
/** Without a final response after this time the run has failed: `violationsOf` reports it. */
const PATIENCE_MS = 180_000

/** Clients that send orders, `atOnce` at a time, until it is `enough`, and retry each until its final response. */
export async function sendOrders(
  target: Target,
  options: {
    atOnce: number
    seed: number
    enough: (orders: number) => boolean
    progress: (done: number) => void
    /** After the final response to an order. */
    answered?: (entry: Timed) => void
  },
): Promise<Timed[]> {
  const random = randomOf(options.seed)
  const api = new Api(() => target)
  // The menus are read before the first fault.
  await Promise.all([cast.aurora, cast.refuses, cast.test].map((restaurant) => api.plainItem(restaurant)))
  const book: Timed[] = []
  let done = 0
  const client = async (own: Random) => {
    while (!options.enough(book.length)) {
      const key = `chaos-${options.seed}-${book.length}`
      const entry: Timed = { key, kind: random.pick(MIX), tries: 0, ms: 0, answer: null }
      book.push(entry)
      await sendUntilFinal(api, entry, own)
      options.answered?.(entry)
      options.progress(++done)
    }
  }
  await Promise.all(
    Array.from({ length: options.atOnce }, (_, at) => client(randomOf(options.seed + at + 1))),
  )
  return book
}

/** Sends cash orders to any gateway, for load that is not compared with the books. */
export async function cashOrderSender(
  target: Target,
): Promise<(gateway: string) => Promise<{ status: number; isClosing: boolean }>> {
  const api = new Api(() => target)
  let number = 0
  await api.plainItem(cast.aurora)
  return async (gateway) => {
    const body = await orderOf(api, `load-${number++}`, 'cash')
    const { status, headers } = await api.sendOrder(body, { gateway, timeoutMs: ANSWER_WITHIN_MS })
    return { status, isClosing: headers.get('connection') === 'close' }
  }
}

/** The body of an order of a kind. */
export async function orderOf(api: Api, key: string, kind: Kind): Promise<Record<string, unknown>> {
  const restaurant = kind === 'refused' ? cast.refuses : kind === 'test' ? cast.test : cast.aurora
  const paidByCard = {
    payment: 'card',
    card: card(NUMBERS[kind] ?? cardNumbers.good),
    ...(kind === 'challenged' && { canAuthenticate: true }),
  }
  return pickup(restaurant, await api.plainItem(restaurant), {
    test: kind === 'test',
    comments: key,
    ...(kind !== 'cash' && paidByCard),
  })
}

async function sendUntilFinal(api: Api, entry: Timed, random: Random): Promise<void> {
  const started = performance.now()
  const body = await orderOf(api, entry.key, entry.kind)
  const options = { headers: { 'idempotency-key': entry.key } }
  const answer = await untilFinal(
    () => {
      entry.tries++
      return sendOnce(api, body, { ...options, timeoutMs: ANSWER_WITHIN_MS })
    },
    { pauseMs: () => random.between(100, 600), isOver: () => performance.now() > started + PATIENCE_MS },
  )
  if (answer !== null) entry.answer = recordOf(answer)
  entry.ms = performance.now() - started
}

/**
 * Sends an order once. Returns the response, or null when it leaves the outcome open, or is lost. When the bank asks, the customer says yes.
 * An order that is undecided leaves the outcome open, because the bank may still ask.
 */
export async function sendOnce(
  api: Api,
  body: object,
  options: Parameters<Api['sendOrder']>[1],
): Promise<Answer<Partial<Order> & { code?: string }> | null> {
  const answer = await finalOf(api.sendOrder(body, options))
  if (answer?.status !== 200 || !('canAuthenticate' in body)) return answer
  try {
    return (await isUndecided(answer.body)) ? null : answer
  } catch {
    // The bank did not get the yes.
    return null
  }
}

/**
 * Whether the order may still have to be answered at the bank, whose answer is a yes. Without an action it is undecided, and has to be
 * sent again. A second yes changes nothing.
 */
async function isUndecided({ status, paymentAction }: Partial<Order>): Promise<boolean> {
  if (status !== 'PROCESSING') return false
  if (!paymentAction) return true
  await fetch(paymentAction.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'yes' }),
  })
  return false
}

/** A response, as a client notes it in its book. */
export function recordOf({ status, body }: Answer<Partial<Order> & { code?: string }>): Recorded {
  const { apiKey = null, code = null, total } = body
  return { status, apiKey, code, totalCents: total === undefined ? null : Math.round(total * 100) }
}

/** A 409 about an order that has got too far for the request. Any other 409 may end: the first request with the key is running. */
const TOO_LATE = ['cancel-too-late', 'invalid-transition']

/** Whether a response leaves the outcome open: the client has to repeat the request under its key. */
export const isOpen = (status: number, code?: string): boolean =>
  status >= 500 || status === 429 || (status === 409 && !TOO_LATE.includes(code ?? ''))

/** The response, or null when it leaves the outcome open, or is lost. */
export async function finalOf<T>(response: Promise<Answer<T>>): Promise<Answer<T> | null> {
  try {
    const answer = await response
    return isOpen(answer.status, (answer.body as { code?: string } | undefined)?.code) ? null : answer
  } catch {
    // The request or the response was lost: its outcome is unknown, so the client repeats the key.
    return null
  }
}

/** Repeats a request, numbered from 1, until its response is final; null when it `isOver` before. */
export async function untilFinal<T>(
  send: (tries: number) => Promise<T | null>,
  { pauseMs, isOver }: { pauseMs: () => number; isOver: () => boolean },
): Promise<T | null> {
  for (let tries = 1; !isOver(); tries++) {
    const answer = await send(tries)
    if (answer !== null) return answer
    await wait(pauseMs())
  }
  return null
}
