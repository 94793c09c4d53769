import { setTimeout as wait } from 'node:timers/promises'
import type { StackFile } from '../../dev/stack/description.ts'
import { randomOf, type Random } from './random.ts'

/** What kind of order a client sends, and so how it has to end. */
export type Kind = 'cash' | 'card' | 'declined' | 'refused' | 'test'

/** One order in a client's own book. `key` is its Idempotency-Key, and stands in the order's comments as well. */
export type Entry = {
  key: string
  kind: Kind
  tries: number
  /** The final answer; null while there is none. */
  answer: { status: number; apiKey: string | null; code: string | null; totalCents: number | null } | null
}

/** How long it took from the first try to the final answer. */
export type Timed = Entry & { ms: number }

/** Takes every order at once. */
export const AURORA = 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'

const RESTAURANTS = {
  accepts: AURORA,
  refuses: '02f207fb3951c1b86a7a941a2ff08f2514787ace1e3c380a',
  test: '58e5fd946c7b9fabc1850ddd0bd97ad9f893aafef8108b08',
}

const MIX: readonly Kind[] = ['card', 'card', 'card', 'card', 'cash', 'cash', 'declined', 'refused', 'test']

/** A client gives up an answer after this time and asks again under the same key, as a person would. */
const ANSWER_WITHIN_MS = 12_000
/** After that long without a final answer the run has failed; the judge says so. */
const PATIENCE_MS = 180_000

type Menu = {
  items: { apiKey: string; available: boolean; customizationGroups?: { minCount: number }[] }[]
}[]

/** Clients that send orders, `atOnce` at a time, until it is `enough`, and retry each until it has its final answer. */
export async function sendOrders(
  stack: StackFile,
  options: {
    atOnce: number
    seed: number
    enough: (orders: number) => boolean
    progress: (done: number) => void
  },
): Promise<Timed[]> {
  const random = randomOf(options.seed)
  const items = await itemsOf(stack)
  const book: Timed[] = []
  let done = 0
  const client = async (own: Random) => {
    while (!options.enough(book.length)) {
      const key = `chaos-${options.seed}-${book.length}`
      const entry: Timed = { key, kind: random.pick(MIX), tries: 0, ms: 0, answer: null }
      book.push(entry)
      await sendUntilFinal(stack, entry, bodyOf(entry, items), own)
      options.progress(++done)
    }
  }
  await Promise.all(
    Array.from({ length: options.atOnce }, (_, at) => client(randomOf(options.seed + at + 1))),
  )
  return book
}

/** A cash order, ready to be sent to any gateway: for load that is not judged by its books. */
export async function cashOrderSender(
  stack: StackFile,
): Promise<(gateway: string) => Promise<{ status: number; isClosing: boolean }>> {
  const items = await itemsOf(stack)
  let number = 0
  return async (gateway) => {
    const body = bodyOf({ key: `load-${number++}`, kind: 'cash' }, items)
    const answer = await fetch(`${gateway}/publicapi/v1/send-order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': stack.accessKey },
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    await answer.arrayBuffer()
    return { status: answer.status, isClosing: answer.headers.get('connection') === 'close' }
  }
}

async function itemsOf(stack: StackFile): Promise<Record<keyof typeof RESTAURANTS, string>> {
  const [accepts, refuses, test] = await Promise.all(
    [RESTAURANTS.accepts, RESTAURANTS.refuses, RESTAURANTS.test].map((restaurant) =>
      plainItem(stack, restaurant),
    ),
  )
  return { accepts: accepts ?? '', refuses: refuses ?? '', test: test ?? '' }
}

/** An item that needs no choice. */
export async function plainItem(stack: StackFile, restaurantApiKey: string): Promise<string> {
  const answer = await fetch(
    `${stack.gateway}/publicapi/v1/restaurant/${restaurantApiKey}/menu?includeCustomizations=true`,
    {
      headers: { 'x-access-token': stack.accessKey },
    },
  )
  const menu = (await answer.json()) as Menu
  const item = menu
    .flatMap(({ items }) => items)
    .find(
      ({ available, customizationGroups = [] }) =>
        available && customizationGroups.every(({ minCount }) => minCount === 0),
    )
  if (!item) throw new Error(`nothing can be ordered from ${restaurantApiKey}`)
  return item.apiKey
}

function bodyOf(
  { key, kind }: Pick<Entry, 'key' | 'kind'>,
  items: Record<keyof typeof RESTAURANTS, string>,
): string {
  const restaurant = kind === 'refused' ? 'refuses' : kind === 'test' ? 'test' : 'accepts'
  const isCard = kind !== 'cash'
  return JSON.stringify({
    restaurantApiKey: RESTAURANTS[restaurant],
    items: [{ apiKey: items[restaurant] }, { apiKey: items[restaurant] }],
    method: 'pickup',
    payment: isCard ? 'card' : 'cash',
    test: kind === 'test',
    comments: key,
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
    ...(isCard && { card: cardOf(kind) }),
  })
}

export const cardOf = (kind: Kind) => ({
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber: kind === 'declined' ? '4000000000000002' : '4242424242424242',
  expirationMonth: '09',
  expirationYear: '39',
})

async function sendUntilFinal(stack: StackFile, entry: Timed, body: string, random: Random): Promise<void> {
  const started = performance.now()
  const end = started + PATIENCE_MS
  while (entry.answer === null && performance.now() < end) {
    entry.tries++
    entry.answer = await sendOnce(stack, entry.key, body)
    if (entry.answer === null) await wait(random.between(100, 600))
  }
  entry.ms = performance.now() - started
}

/** The final answer, or null for one that says nothing final: lost, 5xx, 409 still running, 429. */
async function sendOnce(stack: StackFile, key: string, body: string): Promise<Entry['answer']> {
  try {
    const answer = await fetch(`${stack.gateway}/publicapi/v1/send-order`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-access-token': stack.accessKey,
        'idempotency-key': key,
      },
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const document = (await answer.json()) as { apiKey?: string; code?: string; total?: number }
    const { status } = answer
    if (status >= 500 || status === 409 || status === 429) return null
    const totalCents = document.total === undefined ? null : Math.round(document.total * 100)
    return { status, apiKey: document.apiKey ?? null, code: document.code ?? null, totalCents }
  } catch {
    // Lost on the way, there or back: nobody knows, so the same key is sent again.
    return null
  }
}
