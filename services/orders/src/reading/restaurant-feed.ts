import { GetRestaurantOrder } from '@platter/contracts'
import { responseRenderer, type ServerSentEvent } from '@platter/kit'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import type { Feed } from '#/reading/stream-feed.ts'
import { isBelow, type Position } from '#/store/changes.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'changes' | 'restaurantOrders'> & { acceptWithinMs: number }

const AT_ONCE = 100

/** Orders that have changed from a position on, and with `whole` the open ones as well. */
type Start = { since: Position | null; whole: boolean }

const render = responseRenderer(GetRestaurantOrder)

/**
 * The orders of a restaurant as they become and change. An event's id is a position (store/changes.ts), up to which
 * its reader has seen everything: that of the round before on all events of a round but the last, so that a
 * connection cut in the middle loses nothing. Before the first `ready` it ends with `~`: its reader has not had the
 * whole yet, and begins anew, but is told as well what is over since.
 */
export class RestaurantFeed implements Feed {
  readonly isOver = false
  readonly #deps: Deps
  readonly #restaurantApiKey: string
  readonly #start: Start
  /** Null until `ready`. */
  #position: Position | null = null
  /** By which change each order was sent, as long as the position is not past it: it comes up again until then. */
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
    // Before the rows are read: what they do not show yet is not below it.
    const position = await this.#deps.changes.position()
    if (this.#position === null) {
      const start = startAt(this.#start, position)
      const id = `${start.since ?? position}${start.whole ? '~' : ''}`
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
        limit: AT_ONCE,
      })
      for (const { changedIn, ...changed } of orders) {
        const { apiKey } = changed.order
        if (this.#sent.get(apiKey) === changedIn) continue
        yield render(restaurantOrderRecord(changed, this.#deps.acceptWithinMs))
        this.#sent.set(apiKey, changedIn)
      }
      after = hasMore ? (orders.at(-1)?.order.id ?? null) : null
    }
  }
}

/** A position that this database has not reached is of another one, from before a restore: it means nothing. */
const startAt = (start: Start, position: Position): Start =>
  start.since !== null && isBelow(position, start.since) ? { since: null, whole: true } : start
