import { GetRestaurantOrder } from '@platter/contracts'
import { responseRenderer, type ServerSentEvent } from '@platter/kit'
import { recordWithAcceptBy } from '#/domain/restaurant-order.ts'
import type { Feed } from '#/reading/stream-feed.ts'
import { isBelow, type Position } from '#/store/changes.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'changes' | 'restaurantOrders'> & { startWithinMs: number }

const PAGE_SIZE = 100

/** Orders that have changed since a position. With `whole`, also all open orders. */
type Start = { since: Position | null; whole: boolean }

const render = responseRenderer(GetRestaurantOrder)

/**
 * New and changed orders of a restaurant. An event's id is a position (`store/changes.ts`): a client with this id has received all
 * earlier changes. All events of a round except the last have the position of the previous round, so a connection that ends within
 * a round loses nothing. Before the first `ready` the id ends with `~`. A client with such an id reconnects to all open orders, and
 * to orders that were closed in the meantime.
 */
export class RestaurantFeed implements Feed {
  readonly isOver = false
  readonly #deps: Deps
  readonly #restaurantApiKey: string
  #start: Start
  /** Null until `ready`. */
  #position: Position | null = null
  /** The last sent change of each order, until the position is above it. Until then, queries return the change again. */
  readonly #sent = new Map<string, Position | null>()

  constructor(
    deps: Deps,
    { restaurantApiKey, lastEventId }: { restaurantApiKey: string; lastEventId: string | undefined },
  ) {
    this.#deps = deps
    this.#restaurantApiKey = restaurantApiKey
    const [, since = null, partly] = /^([1-9]\d{0,18})(~?)$/.exec(lastEventId ?? '') ?? []
    this.#start = { since, whole: since === null || partly === '~' }
  }

  async *round(): AsyncGenerator<ServerSentEvent> {
    // Read before the rows, so that changes that they do not contain yet are not below the position.
    const position = await this.#deps.changes.position()
    if (this.#position === null) {
      const start = startAt(this.#start, position)
      const since = start.since ?? position
      // After a failure this round is repeated, and then also sends orders that have ended since its beginning.
      this.#start = { ...start, since }
      const id = `${since}${start.whole ? '~' : ''}`
      for await (const data of this.#changed(start)) yield { event: 'order', id, data }
      yield { event: 'ready', id: position, data: '{}' }
    } else {
      let waiting: string | null = null
      for await (const data of this.#changed({ since: this.#position, whole: false })) {
        if (waiting !== null) yield { event: 'order', id: this.#position, data: waiting }
        waiting = data
      }
      if (waiting !== null) yield { event: 'order', id: position, data: waiting }
    }
    this.#position = position
    for (const [apiKey, changedIn] of this.#sent) if (isBelow(changedIn, position)) this.#sent.delete(apiKey)
  }

  async *#changed(start: Start): AsyncGenerator<string> {
    for (let after: number | null = 0; after !== null;) {
      const { orders, hasMore } = await this.#deps.restaurantOrders.changed(this.#restaurantApiKey, {
        ...start,
        after,
        limit: PAGE_SIZE,
      })
      for (const order of orders) {
        const { apiKey, changedIn } = order
        if (this.#sent.get(apiKey) === changedIn) continue
        yield render(recordWithAcceptBy(order, this.#deps.startWithinMs))
        this.#sent.set(apiKey, changedIn)
      }
      after = hasMore ? (orders.at(-1)?.id ?? null) : null
    }
  }
}

/** Ignores a position above the current one, which is from before a restore of the database. */
const startAt = (start: Start, position: Position): Start =>
  start.since !== null && isBelow(position, start.since) ? { since: null, whole: true } : start
