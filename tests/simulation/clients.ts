import { OrderRequest, SendOrder, type RefuseOrder } from '@platter/contracts'
import { isUnavailable, type Call } from '@platter/kit'
import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import { card, cardNumbers, pickup } from '../support/cast.ts'
import { asEnd, noHttp, problemOf, readResponse, type ClientResponse } from './client-response.ts'
import { stores } from './stores.ts'
import { isOpen, type Entry, type Kind as JudgedKind } from '../support/order-clients.ts'
import { noteMistake, type OrdersReplica, type Replica } from './processes.ts'
import { RESTAURANTS } from './restaurants.ts'
import { isAtTheBank, type AtTheBank } from './bank.ts'
import type { Simulation } from './simulation.ts'
import { Process, type World } from './world.ts'

export type Kind = Exclude<JudgedKind, 'challenged'> | AtTheBank | 'recanted' | 'unreachable' | 'silent'

/** An order in the record of its client. */
export type Placed = Omit<Entry, 'kind'> & {
  kind: Kind
  /** The order has its own user, so that a new card is saved. */
  user: string | null
  /** The response was 200 without an outcome, and the order was cancelled later. */
  cancelled: boolean
}

const RESPONSE_WITHIN_MS = 12_000
/**
 * The number of reads, 1.3 s apart. When PostgreSQL is available again, a mark is retried every 2 s, and a hanging statement ends
 * after 5 s.
 */
const MARKED_AFTER = 10
/** Returns true if a client stops retrying. A retry could succeed later, but not at a restaurant that stays unavailable. */
const isFinal = ({ kind }: Placed, { status, code }: ClientResponse) =>
  !isOpen(status) || (code === 'restaurant-unreachable' && !mayStand(kind))
const mayStand = (kind: Kind) => kind !== 'unreachable' && kind !== 'silent'

const application = {
  kind: 'application',
  applicationId: 'application-1',
  accessKeyId: 'key-1',
} as unknown as Call<typeof SendOrder>['principal']
const restaurant = {
  kind: 'restaurant',
  restaurantApiKey: RESTAURANTS.recants,
} as unknown as Call<typeof RefuseOrder>['principal']

/** The restaurants of the kinds whose order is not simply accepted. */
const SENT_TO: Partial<Record<Kind, string>> = {
  refused: RESTAURANTS.refuses,
  test: RESTAURANTS.test,
  recanted: RESTAURANTS.recants,
  unreachable: RESTAURANTS.unreachable,
  silent: RESTAURANTS.silent,
  closing: RESTAURANTS.closes,
}

const cardNumberOf = (kind: Kind) => {
  if (kind === 'declined') return cardNumbers.declined
  return isAtTheBank(kind) ? cardNumbers.challenged : cardNumbers.good
}

const bodyOf = ({ kind, user, key }: Placed, isCash: boolean): OrderRequest =>
  OrderRequest.parse(
    pickup(SENT_TO[kind] ?? RESTAURANTS.accepts, 'soup', {
      comments: key,
      test: kind === 'test',
      ...(user && { recipient: { apiKey: user } }),
      ...(!isCash && { payment: 'card', card: card(cardNumberOf(kind)) }),
      ...(isAtTheBank(kind) && { canAuthenticate: true }),
    }),
  )

/** Client applications and restaurants behind a gateway. They never crash, but their requests and responses may be lost. */
export class Clients {
  readonly book: Placed[]
  /** Never crashes. */
  readonly process = new Process('client')
  waiting = 0
  readonly #world: World
  readonly #all: Simulation
  readonly #replicas: readonly Replica<OrdersReplica>[]
  #turn = 0

  constructor(all: Simulation, replicas: readonly Replica<OrdersReplica>[], kinds: readonly Kind[]) {
    const { world } = all
    this.#all = all
    this.#world = world
    this.#replicas = replicas
    this.book = kinds.map((kind, number) => ({
      key: `key-${number}`,
      kind: all.bank.kindOf(kind),
      user: (kind === 'card' || kind === 'refused') && world.random.next() < 0.5 ? `user-${number}` : null,
      attempts: 0,
      response: null,
      cancelled: false,
    }))
    for (const entry of this.book) this.begin(world.random.next() * 3_000, () => this.#order(entry))
    all.restaurants.recant = (order) => this.begin(world.random.next() * 20_000, () => this.#refuse(order))
  }

  begin(inMs: number, work: () => Promise<void>): void {
    this.waiting++
    this.#world.later(inMs, this.process, () => {
      void work().then(
        () => this.waiting--,
        (error: unknown) => noteMistake(error),
      )
    })
  }

  async #order(entry: Placed): Promise<void> {
    const send = this.#sender(entry)
    const response = await this.#sendUntilFinal(entry, send)
    if (
      response.apiKey !== null &&
      (entry.kind === 'card' || entry.kind === 'cash' || isAtTheBank(entry.kind))
    )
      this.#all.afterSale.begin(response.apiKey, this)
    const end = asEnd(response.open ? await this.#follow(response, entry.kind) : response)
    this.#world.note(`${entry.key} ${entry.kind} ended with ${end.status} ${end.code ?? ''}`)
    entry.cancelled = response.status === 200 && end.status !== 200
    entry.response = end
    if (response.status < 500) await this.#repeat(entry, response, send)
  }

  /** Returns a function that sends the order once at each call. */
  #sender(entry: Placed): () => Promise<ClientResponse | null> {
    const isCash = entry.kind === 'cash' || (entry.kind === 'recanted' && this.#world.random.next() < 0.3)
    const body = bodyOf(entry, isCash)
    const { key } = entry
    const idempotency = { accessKeyId: 'key-1', path: SendOrder.path, key, fingerprint: key }
    return () => {
      const requestId = `${key}.${++entry.attempts}`
      const call = { body, idempotency, requestId, principal: application, ...noHttp() }
      return this.call((api) => api.sendOrder(call))
    }
  }

  async #sendUntilFinal(entry: Placed, send: () => Promise<ClientResponse | null>): Promise<ClientResponse> {
    for (;;) {
      const other = this.#world.strikes('client: sent twice', entry.key) ? send() : null
      for (const response of [await send(), await other])
        if (response && isFinal(entry, response)) return response
      await this.pause(200 + this.#world.random.next() * 1_500)
    }
  }

  /** Repeats the request under the same key. The result must be the same order, or the same rejection. */
  async #repeat(
    entry: Placed,
    first: ClientResponse,
    send: () => Promise<ClientResponse | null>,
  ): Promise<void> {
    if (this.#world.random.next() < 0.7) return
    await this.pause(this.#world.random.next() * 15_000)
    const again = await this.#sendUntilFinal(entry, send)
    if (again.status !== first.status || again.apiKey !== first.apiKey)
      this.#world.mistake(
        'two responses',
        `${entry.key}: ${first.status} ${first.apiKey}, then ${again.status} ${again.apiKey}`,
      )
  }

  /** A restaurant rejects an order that it has accepted, and retries until the rejection is confirmed. */
  async #refuse({ apiKey }: PlacedOrder): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      const call = {
        ...noHttp(),
        params: { apiKey },
        body: { reason: 'sold out' },
        principal: restaurant,
        unknownFields: [],
        idempotency: null,
        requestId: `refuse-${apiKey.slice(0, 4)}.${attempts}`,
      }
      const response = await this.call((api) => api.refuseOrder(call))
      if (response?.status === 200) return this.#all.restaurants.refused(apiKey)
      // The order failed at its deadline although the restaurant has it, so no order remains to reject.
      if (this.#all.database.orders.get(apiKey)?.outcome === 'failed') return
      await this.pause(500 + this.#world.random.next() * 3_000)
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#world.later(ms, this.process, resolve))
  }

  /**
   * Reads an order until it has an outcome. The replica that responded marks the order. Without PostgreSQL it cannot do
   * so, and an order that another replica fails in that time may be hidden until then. An order that is hidden later was promised
   * and lost.
   */
  async #follow(announced: ClientResponse, kind: Kind): Promise<ClientResponse> {
    const apiKey = announced.apiKey ?? ''
    let missed = 0
    for (;;) {
      await this.pause(300 + this.#world.random.next() * 2_000)
      const order = await stores.orders.find(apiKey).catch((error: unknown) => {
        if (isUnavailable(error)) return undefined
        throw error
      })
      if (order === null && this.#world.calm && ++missed === MARKED_AFTER)
        return { ...announced, apiKey: `gone: ${apiKey}` }
      this.#all.bank.visit(kind, order?.paymentAction?.url, this.process)
      if (order?.cancellation) return { ...announced, code: order.cancellation.reason }
      if (order && order.status !== 'PROCESSING') return { ...announced, totalCents: order.total }
    }
  }

  /** Calls one replica after another through the gateway until one has received the request. Null: no response arrived. */
  async call(work: (api: OrdersReplica) => Promise<unknown>): Promise<ClientResponse | null> {
    const world = this.#world
    if (world.strikes('client: request lost')) {
      await this.pause(RESPONSE_WITHIN_MS)
      return null
    }
    const turn = this.#turn++
    for (let at = 0; at < this.#replicas.length; at++) {
      const replica = this.#replicas[(turn + at) % this.#replicas.length]
      const { process, api } = replica ?? {}
      if (!process?.alive || !api) continue
      const response = await this.#exchange(process, () => work(api))
      return response && world.strikes('client: reply lost') ? null : response
    }
    return null
  }

  #exchange(process: Process, work: () => Promise<unknown>): Promise<ClientResponse | null> {
    const world = this.#world
    return new Promise((resolve) => {
      const back = (response: ClientResponse | null, inMs = world.hop()) =>
        void world.later(inMs, this.process, () => resolve(response))
      back(null, RESPONSE_WITHIN_MS)
      process.whenDead(() => back(null))
      world.later(world.hop(), process, () => {
        void work().then(
          (response) => back(readResponse(response)),
          (error: unknown) => back(problemOf(error)),
        )
      })
    })
  }
}
