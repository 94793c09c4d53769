import { setTimeout as wait } from 'node:timers/promises'
import type { MenuCategory, Order, User } from '@platter/contracts'
import type { StackFile } from '../../dev/stack/description.ts'
import { readBooks, type Books } from '../support/books.ts'
import { cardNumbers } from '../support/cast.ts'
import { isOpen, isUndecided, type Entry } from '../support/order-clients.ts'
import type { AfterSale, Kind } from './points.ts'

const RESTAURANTS: Record<Kind, string> = {
  card: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  cash: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  refused: '02f207fb3951c1b86a7a941a2ff08f2514787ace1e3c380a',
  challenge: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  refund: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
  cancel: 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70',
}
const ENDS_AS: Record<Kind, Entry['kind']> = {
  card: 'card',
  cash: 'cash',
  refused: 'refused',
  challenge: 'challenged',
  refund: 'card',
  cancel: 'card',
}
const PERSON = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
const NEW_CARD = {
  cardholderName: 'Maria Lindqvist',
  cardholderStreetAddress: '316 W Washington Ave',
  cardholderZip: '53703',
  cvv: '314',
  cardNumber: '4242424242424242',
  expirationMonth: '09',
  expirationYear: '39',
}

const CHALLENGED = { canAuthenticate: true, cardNumber: cardNumbers.challenged }

const ANSWER_WITHIN_MS = 12_000
const PATIENCE_MS = 120_000

export type Answer = { status: number; order: Partial<Order> & { code?: string } } | null

/** `key`: of the order; the change has an Idempotency-Key of its own. */
type Change = { key: string; apiKey: string; requestId: string }

/** One client application, with users of its own. */
export class Client {
  readonly #stack: StackFile
  readonly #items = new Map<string, string>()

  constructor(stack: StackFile) {
    this.#stack = stack
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    const api = path.startsWith('operatorapi/') ? '' : 'publicapi/v1/'
    const answer = await fetch(`${this.#stack.gateway}/${api}${path}`, {
      method,
      headers: {
        'x-access-token': api === '' ? this.#stack.operatorKey : this.#stack.accessKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** The gateway asks whom a key belongs to once a second: here it gets to know before it is watched. */
  async warmUp(): Promise<void> {
    await this.#get(`restaurant/${RESTAURANTS.card}`)
  }

  async register(): Promise<string> {
    const email = `maria.${crypto.randomUUID()}@example.org`
    const { body } = await this.call('POST', 'register-user', {
      ...PERSON,
      email,
      password: 'a long enough password',
    })
    return (body as User).apiKey
  }

  async bodyOf(kind: Kind, key: string, user: string): Promise<object> {
    const item = { apiKey: await this.#plainItem(RESTAURANTS[kind]) }
    const { canAuthenticate, cardNumber } =
      kind === 'challenge' ? CHALLENGED : { ...NEW_CARD, canAuthenticate: false }
    return {
      restaurantApiKey: RESTAURANTS[kind],
      items: [item, item],
      method: 'pickup',
      payment: kind === 'cash' ? 'cash' : 'card',
      comments: key,
      recipient: kind === 'card' ? { apiKey: user } : PERSON,
      // A card of its own: the same card again is not saved, and the order has fewer steps.
      ...(kind !== 'cash' && { card: { ...NEW_CARD, cardNumber, cardholderStreetAddress: key } }),
      ...(canAuthenticate && { canAuthenticate }),
    }
  }

  /**
   * Sends the order once; null when no answer comes, or none that is final. When the bank asks, the customer says yes; an order that is
   * undecided has to be sent again, because the bank may still ask.
   */
  async send(key: string, requestId: string, body: object): Promise<Answer> {
    try {
      const { status, body: order } = await this.call('POST', 'send-order', body, {
        'idempotency-key': key,
        'x-request-id': requestId,
      })
      if (isOpen(status)) return null
      const answer = { status, order: order as Partial<Order> }
      if ('canAuthenticate' in body && (await isUndecided(answer.order))) return null
      return answer
    } catch {
      // Cut off by the death that the test is about.
      return null
    }
  }

  /** Sends it again under its key until there is a final answer. */
  async retry(key: string, body: object): Promise<Answer> {
    const end = performance.now() + PATIENCE_MS
    for (let tries = 1; performance.now() < end; tries++) {
      const answer = await this.send(key, `crash-retry-${key}-${tries}`, body)
      if (answer) return answer
      await wait(300)
    }
    return null
  }

  /** An operator refunds a part of an order, or cancels it: once; null when no answer comes, or none that is final. */
  async changeOrder(kind: AfterSale, { key, apiKey, requestId }: Change): Promise<number | null> {
    const [path, body] =
      kind === 'refund'
        ? ['refunds', { items: [{ index: 0 }], reason: 'MISSING_ITEM' }]
        : ['cancel', { reason: 'Power failure' }]
    try {
      const headers = { 'idempotency-key': `${key}-${kind}`, 'x-request-id': requestId }
      const { status } = await this.call('POST', `operatorapi/v1/orders/${apiKey}/${path}`, body, headers)
      return isOpen(status) ? null : status
    } catch {
      // Cut off by the death that the test is about.
      return null
    }
  }

  /** Repeats the request until there is a final answer. */
  async retryChange(kind: AfterSale, change: Change): Promise<number | null> {
    const end = performance.now() + PATIENCE_MS
    for (let tries = 1; performance.now() < end; tries++) {
      const requestId = `crash-retry-${change.key}-${kind}-${tries}`
      const status = await this.changeOrder(kind, { ...change, requestId })
      if (status !== null) return status
      await wait(300)
    }
    return null
  }

  /** How the order ended for its client; one that was answered while it was undecided is read again. */
  async entryOf(key: string, kind: Kind, answer: Answer): Promise<Entry> {
    const told = answer?.status === 200 ? await this.#read(answer.order.apiKey ?? '') : answer
    const { cancellation, total } = told?.order ?? {}
    return {
      key,
      kind: ENDS_AS[kind],
      tries: 1,
      answer: told && {
        // A refusal that came after the answer cancels the order; a client takes it as what it is.
        status: cancellation?.reason === 'order-refused' ? 422 : told.status,
        apiKey: told.order.apiKey ?? null,
        code: told.order.code ?? null,
        totalCents: total === undefined ? null : Math.round(total * 100),
      },
    }
  }

  async #read(apiKey: string): Promise<Answer> {
    const { status, body } = await this.#get(`order/${apiKey}`)
    return { status, order: body as Order }
  }

  async cardsOf(user: string): Promise<string[]> {
    const { body } = await this.#get(`user/${user}`)
    return (body as User).creditCards.map(({ apiKey }) => apiKey)
  }

  /** Retries while the next test kills the service that should answer. */
  async #get(path: string): Promise<{ status: number; body: unknown }> {
    const end = performance.now() + PATIENCE_MS
    for (;;) {
      const answer = await this.call('GET', path).catch(() => null)
      if (answer && answer.status < 500) return answer
      if (performance.now() > end) throw new Error(`GET ${path} was never answered`)
      await wait(300)
    }
  }

  async #plainItem(restaurant: string): Promise<string> {
    const known = this.#items.get(restaurant)
    if (known !== undefined) return known
    const { body } = await this.#get(`restaurant/${restaurant}/menu?includeCustomizations=true`)
    const item = (body as MenuCategory[])
      .flatMap(({ items }) => items)
      .find(
        ({ available, customizationGroups = [] }) =>
          available && customizationGroups.every(({ minCount }) => minCount === 0),
      )
    if (!item) throw new Error(`${restaurant} has nothing that can be ordered without a choice`)
    this.#items.set(restaurant, item.apiKey)
    return item.apiKey
  }
}

/** The books, read at most every so often however many wait for them. */
export class SharedBooks {
  readonly #stack: StackFile
  #read: Promise<Books> | null = null

  constructor(stack: StackFile) {
    this.#stack = stack
  }

  /** What the books say of the orders with a key, once all of them have ended; as they stand when they never do. */
  async settled(key: string, withinMs: number): Promise<Books> {
    const end = performance.now() + withinMs
    for (;;) {
      const books = only(await this.#latest(), key)
      const isSettled = books.orders.every(({ finished }) => finished)
      if (isSettled || performance.now() > end) return books
    }
  }

  async #latest(): Promise<Books> {
    this.#read ??= wait(250).then(() => {
      this.#read = null
      return readBooks(this.#stack)
    })
    return this.#read
  }
}

function only({ orders, ledger, receipts }: Books, key: string): Books {
  const own = orders.filter((order) => order.key === key)
  const keys = new Set(own.map(({ apiKey }) => apiKey))
  return {
    orders: own,
    ledger: ledger.filter(({ reference }) => keys.has(reference)),
    receipts: receipts.filter(({ orderApiKey }) => keys.has(orderApiKey)),
  }
}
