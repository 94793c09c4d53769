import { setTimeout as wait } from 'node:timers/promises'
import type { Order } from '@platter/contracts'
import { Api, sendTo, type ClientResponse, type Target } from './api.ts'
import { card, cardNumbers, seedRestaurants, pickup } from './fixtures.ts'
import { randomOf, type Random } from './random.ts'

/** The kind of an order decides its expected end. The customer of a challenged order confirms it at the bank. */
export type Kind = 'cash' | 'card' | 'challenged' | 'declined' | 'refused' | 'test'

/** One order in the record of a client. `key` is its idempotency key and its comment. */
export type Entry = {
  key: string
  kind: Kind
  /** The final response; null until it arrives. */
  response: Recorded | null
}
type Recorded = { status: number; apiKey: string | null; code: string | null; totalCents: number | null }

/** `ms` is the time from the first attempt to the final response. */
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

const RESTAURANTS: Partial<Record<Kind, string>> = {
  refused: seedRestaurants.refuses,
  test: seedRestaurants.test,
}

/** A client aborts a request after this time and repeats it under the same key, as a person would. */
export const RESPONSE_WITHIN_MS = 12_000
/** An order without a final response after this time is a violation (`violationsOf`). */
const RETRIED_WITHIN_MS = 180_000

/** Runs clients that send orders, `concurrency` at a time, until it is `enough`. Each client retries until the final response. */
export async function sendOrders(
  target: Target,
  options: {
    concurrency: number
    seed: number
    enough: (orders: number) => boolean
    /** Called after the final response to an order. */
    onResponse: (entry: Timed) => void
  },
): Promise<Timed[]> {
  const random = randomOf(options.seed)
  const api = new Api(() => target)
  await readMenus(api)
  const book: Timed[] = []
  const client = async (own: Random) => {
    while (!options.enough(book.length)) {
      const key = `chaos-${options.seed}-${book.length}`
      const entry: Timed = { key, kind: random.pick(MIX), ms: 0, response: null }
      book.push(entry)
      await sendUntilFinal(api, entry, own)
      options.onResponse(entry)
    }
  }
  await Promise.all(
    Array.from({ length: options.concurrency }, (_, at) => client(randomOf(options.seed + at + 1))),
  )
  return book
}

/** Reads the menu of each restaurant once, before the first fault. */
export const readMenus = (api: Api) =>
  Promise.all([seedRestaurants.aurora, ...Object.values(RESTAURANTS)].map(api.plainItem))

/** Returns a sender of cash orders to any gateway, for load without a comparison of records. */
export async function cashOrderSender(
  target: Target,
): Promise<(gateway: string) => Promise<{ status: number; isClosing: boolean }>> {
  const api = new Api(() => target)
  let number = 0
  await api.plainItem(seedRestaurants.aurora)
  return async (gateway) => {
    const body = await orderOf(api, `load-${number++}`, 'cash')
    const { status, headers } = await api.sendOrder(body, { gateway, timeoutMs: RESPONSE_WITHIN_MS })
    return { status, isClosing: headers.get('connection') === 'close' }
  }
}

/** Returns the body of an order of a kind. */
export async function orderOf(api: Api, key: string, kind: Kind): Promise<Record<string, unknown>> {
  const restaurant = RESTAURANTS[kind] ?? seedRestaurants.aurora
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
  const options = { headers: { 'idempotency-key': entry.key }, timeoutMs: RESPONSE_WITHIN_MS }
  const response = await untilFinal(() => sendOnce(api, body, options), {
    pauseMs: () => random.between(100, 600),
    isOver: () => performance.now() > started + RETRIED_WITHIN_MS,
  })
  if (response !== null) entry.response = recordOf(response)
  entry.ms = performance.now() - started
}

/**
 * Sends an order once. Returns the response, or null if it is lost or leaves the outcome open. When the bank requires a challenge,
 * the customer confirms it. An order without an outcome stays open, because the bank may still require a challenge.
 */
export async function sendOnce(
  api: Api,
  body: object,
  options: Parameters<Api['sendOrder']>[1],
): Promise<ClientResponse<Partial<Order> & { code?: string }> | null> {
  const response = await finalOf(api.sendOrder(body, options))
  if (response?.status !== 200 || !('canAuthenticate' in body)) return response
  try {
    return (await isUndecided(response.body)) ? null : response
  } catch {
    // The confirmation did not reach the bank.
    return null
  }
}

/**
 * Returns true if the order may still need a challenge. It confirms an open challenge. An order without an action has no outcome,
 * and its client sends it again. A second confirmation has no effect.
 */
async function isUndecided({ status, paymentAction }: Partial<Order>): Promise<boolean> {
  if (status !== 'PROCESSING') return false
  if (!paymentAction) return true
  await sendTo(paymentAction.url, { body: { outcome: 'yes' } })
  return false
}

/** Returns a response in the form of the client's record. */
export function recordOf({
  status,
  body,
}: Pick<ClientResponse<Partial<Order> & { code?: string }>, 'status' | 'body'>): Recorded {
  const { apiKey = null, code = null, total } = body
  return { status, apiKey, code, totalCents: total === undefined ? null : Math.round(total * 100) }
}

/**
 * Codes of a 409 for an order that is too far for the request. Any other 409 is temporary: the first request with the key still
 * runs.
 */
const TOO_LATE = ['cancel-too-late', 'invalid-transition']

/** Returns true if a response leaves the outcome open. The client then repeats the request under its key. */
export const isOpen = (status: number, code?: string): boolean =>
  status >= 500 || status === 429 || (status === 409 && !TOO_LATE.includes(code ?? ''))

/** Returns the response, or null if it is lost or leaves the outcome open. */
export async function finalOf<T>(sent: Promise<ClientResponse<T>>): Promise<ClientResponse<T> | null> {
  try {
    const response = await sent
    return isOpen(response.status, (response.body as { code?: string } | undefined)?.code) ? null : response
  } catch {
    // The request or the response is lost and its outcome unknown, so the client repeats the key.
    return null
  }
}

/** Repeats a request, numbered from 1, until its final response. Returns null if it `isOver` earlier. */
export async function untilFinal<T>(
  send: (attempts: number) => Promise<T | null>,
  { pauseMs, isOver }: { pauseMs: () => number; isOver: () => boolean },
): Promise<T | null> {
  for (let attempts = 1; !isOver(); attempts++) {
    const response = await send(attempts)
    if (response !== null) return response
    await wait(pauseMs())
  }
  return null
}
