import { setTimeout as wait } from 'node:timers/promises'
import {
  OrderRequest,
  problems,
  RefuseOrder,
  requestTimes,
  SendOrder,
  type Order,
  type ProblemCode,
} from '@platter/contracts'
import { Deadline, isUnavailable, Problem, type Rendered } from '@platter/kit'
import { callOf } from '@platter/testkit/call'
import { card, cardNumbers, pickup } from '../support/fixtures.ts'
import {
  RESPONSE_WITHIN_MS,
  isOpen,
  recordOf,
  untilFinal as untilFinalOrOver,
  type Entry,
  type Kind as CheckedKind,
} from '../support/order-clients.ts'
import { isAtTheBank, type AtTheBank } from './bank.ts'
import { recordDefect, type OrdersApi } from './processes.ts'
import { restaurantOf } from './restaurants.ts'
import { afterSale, bank, database, replicas, restaurants, world } from './simulation.ts'
import { Process } from './world.ts'

export type Kind = Exclude<CheckedKind, 'challenged'> | AtTheBank | 'refusedLater' | 'unreachable' | 'silent'

/** An order in the record of its client. */
export type Placed = Omit<Entry, 'kind'> & {
  kind: Kind
  /** The order has its own user, so that a new card is saved. */
  user: string | null
  /** The response was 200 without an outcome, and the order was cancelled later. */
  cancelled: boolean
}

/** `code`: the code of a problem, or the reason of a cancellation. `isPending`: the order has no outcome yet. */
type Response = NonNullable<Entry['response']> & { isPending: boolean }

/**
 * The number of reads, 1.3 s apart. When PostgreSQL is available again, a mark is retried every 2 s, and a hanging statement ends
 * after 5 s.
 */
const MARKED_AFTER = 10
/** Returns true if a client stops retrying. A retry could succeed later, but not at a restaurant that stays unavailable. */
const isFinal = ({ kind }: Placed, { status, code }: Response) =>
  !isOpen(status) || (code === 'restaurant-unreachable' && (kind === 'unreachable' || kind === 'silent'))

export const application = {
  kind: 'application',
  applicationId: 'application-1',
  accessKeyId: 'key-1',
  mode: 'live',
} as const
const restaurant = {
  kind: 'restaurant',
  restaurantApiKey: restaurantOf('refusedLater'),
  accessKeyId: 'key-2',
} as const

const cardNumberOf = (kind: Kind) => {
  if (kind === 'declined') return cardNumbers.declined
  return isAtTheBank(kind) ? cardNumbers.challenged : cardNumbers.good
}

const bodyOf = ({ kind, user, key }: Placed, isCash: boolean): OrderRequest =>
  OrderRequest.parse(
    pickup(restaurantOf(kind), 'soup', {
      comments: key,
      test: kind === 'test',
      ...(user && { recipient: { apiKey: user } }),
      ...(!isCash && { payment: 'card', card: card(cardNumberOf(kind)) }),
      ...(isAtTheBank(kind) && { canAuthenticate: true }),
    }),
  )

/** The parts of a request that the gateway sets: it has used the rest of the deadline. */
export const relayed = () => ({ deadline: Deadline.in(requestTimes.deadline - requestTimes.relay) })
export const query = { 'validate-only': false }

/** Repeats a request, numbered from 1, until its final response. Clients never give up. */
export const untilFinal = async <T>(send: (attempts: number) => Promise<T | null>, pauseMs: () => number) =>
  (await untilFinalOrOver(send, { pauseMs, isOver: () => false }))!

/** The time between two reads of an order. */
const untilReadMs = () => 300 + world.random.next() * 2_000

/** Client applications and restaurants behind a gateway. They never crash, but their requests and responses may be lost. */
export class Clients {
  book: Placed[] = []
  /** Never crashes. */
  readonly process = new Process('client')
  /** The number of requests without a final response. */
  waiting = 0
  #turn = 0

  /** Starts one client for each kind. */
  start(kinds: readonly Kind[]): void {
    this.book = kinds.map((kind, number) => ({
      key: `key-${number}`,
      kind: bank.kindOf(kind),
      user: (kind === 'card' || kind === 'refused') && world.random.next() < 0.5 ? `user-${number}` : null,
      response: null,
      cancelled: false,
    }))
    for (const entry of this.book) this.begin(world.random.next() * 3_000, () => this.#order(entry))
  }

  begin(inMs: number, work: () => Promise<void>): void {
    this.waiting++
    world.schedule(inMs, this.process, () => {
      void work().then(
        () => this.waiting--,
        (error: unknown) => recordDefect(error),
      )
    })
  }

  async #order(entry: Placed): Promise<void> {
    const { key, kind } = entry
    const send = this.#sender(entry)
    const untilOwnFinal = () =>
      untilFinal(
        async () => {
          const other = world.faultOccurs('client: sent twice', key) ? send() : null
          const responses = [await send(), await other]
          return responses.find((response) => response && isFinal(entry, response)) ?? null
        },
        () => 200 + world.random.next() * 1_500,
      )
    const response = await untilOwnFinal()
    const { apiKey } = response
    if (apiKey !== null && (kind === 'card' || kind === 'cash' || isAtTheBank(kind))) afterSale.begin(apiKey)
    const end = asEnd(response.isPending ? await this.#follow(response, kind) : response)
    world.note(`${key} ${kind} ended with ${end.status} ${end.code ?? ''}`)
    entry.cancelled = response.status === 200 && end.status !== 200
    entry.response = end
    if (response.status >= 500 || world.random.next() < 0.7) return
    // The client repeats the request under its key. The result must be the same order, or the same rejection.
    await wait(world.random.next() * 15_000)
    const again = await untilOwnFinal()
    if (again.status !== response.status || again.apiKey !== apiKey)
      world.recordViolation(
        `two responses to ${key}: ${response.status} ${apiKey}, then ${again.status} ${again.apiKey}`,
      )
  }

  /** Returns a function that sends the order once at each call. */
  #sender(entry: Placed): () => Promise<Response | null> {
    const isCash = entry.kind === 'cash' || (entry.kind === 'refusedLater' && world.random.next() < 0.3)
    const body = bodyOf(entry, isCash)
    const { key } = entry
    let attempts = 0
    const idempotency = { accessKeyId: 'key-1', path: SendOrder.path, key, fingerprint: key }
    return () => {
      const requestId = `${key}.${++attempts}`
      const call = callOf(SendOrder, {
        ...relayed(),
        query,
        body,
        idempotency,
        requestId,
        principal: application,
      })
      return this.call((api) => api.sendOrder(call))
    }
  }

  /** A restaurant rejects an order that it has accepted, and retries until the rejection is confirmed. */
  refuseLater(apiKey: string): void {
    const refuse = async (attempts: number) => {
      const requestId = `refuse-${apiKey.slice(0, 4)}.${attempts}`
      const request = { ...relayed(), params: { apiKey }, body: { reason: 'sold out' }, requestId }
      const response = await this.call((api) =>
        api.refuseOrder(callOf(RefuseOrder, { ...request, principal: restaurant })),
      )
      if (response?.status === 200) restaurants.refused(apiKey)
      // The order failed at its deadline although the restaurant has it, so no order remains to reject.
      const hasFailed = database.orders.get(apiKey)?.outcome === 'failed'
      return response?.status === 200 || hasFailed ? true : null
    }
    this.begin(world.random.next() * 20_000, async () => {
      await untilFinal(refuse, () => 500 + world.random.next() * 3_000)
    })
  }

  /**
   * Reads an order until it has an outcome. The replica that responded marks the order. Without PostgreSQL it cannot do
   * so, and an order that another replica fails in that time may be hidden until then. An order that is hidden later was promised
   * and lost.
   */
  #follow(announced: Response, kind: Kind): Promise<Response> {
    const apiKey = announced.apiKey ?? ''
    let missed = 0
    const read = async () => {
      const order = await database.stores.orders.find(apiKey).catch((error: unknown) => {
        if (isUnavailable(error)) return undefined
        throw error
      })
      if (order === null && world.isCalm && ++missed === MARKED_AFTER)
        return { ...announced, apiKey: `gone: ${apiKey}` }
      bank.visit(kind, order?.paymentAction?.url)
      if (order?.cancellation) return { ...announced, code: order.cancellation.reason }
      return order && order.status !== 'PROCESSING' ? { ...announced, totalCents: order.total } : null
    }
    return wait(untilReadMs()).then(() => untilFinal(read, untilReadMs))
  }

  /** Calls one replica after another through the gateway until one has received the request. Null: no response arrived. */
  async call(work: (api: OrdersApi) => Promise<unknown>): Promise<Response | null> {
    if (world.faultOccurs('client: request lost')) {
      await wait(RESPONSE_WITHIN_MS)
      return null
    }
    const turn = this.#turn++
    for (let at = 0; at < replicas.orders.length; at++) {
      const replica = replicas.orders[(turn + at) % replicas.orders.length]
      const { process, api } = replica ?? {}
      if (!process?.isAlive || !api) continue
      const response = await this.#exchange(process, () => work(api))
      return response && world.faultOccurs('client: reply lost') ? null : response
    }
    return null
  }

  #exchange(process: Process, work: () => Promise<unknown>): Promise<Response | null> {
    return world.call<Response | null>((respond) => {
      respond(null, RESPONSE_WITHIN_MS)
      process.onDeath(() => respond(null))
      world.schedule(world.hop(), process, () => {
        void work().then(
          (response) => respond(readResponse(response)),
          (error: unknown) => respond(problemOf(error)),
        )
      })
    })
  }
}

/**
 * An order that failed after its response ends as if it had been rejected. An order that its customer or an operator cancelled was
 * placed.
 */
const asEnd = (response: Response): Response =>
  response.code === null || response.code === 'order-cancelled'
    ? response
    : { ...response, status: problems[response.code as ProblemCode].status }

function readResponse(response: unknown): Response {
  const { status, body } = response as Rendered
  const document = JSON.parse(String(body)) as Partial<Order> & { code?: string }
  const record = recordOf({ status, body: document })
  const { cancellation = null } = document
  const code = cancellation?.reason ?? record.code
  return { ...record, code, isPending: document.status === 'PROCESSING' && cancellation === null }
}

function problemOf(error: unknown): Response {
  const { status, code } = error instanceof Problem ? error : { status: 503, code: 'service-unavailable' }
  recordDefect(error)
  return { status, code, apiKey: null, totalCents: null, isPending: false }
}
