import { GetRestaurantOrder } from '@platter/contracts'
import { responseRenderer, type ServerSentEvent } from '@platter/kit'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import type { Feed } from '#/follow.ts'
import * as changes from '#/store/changes.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

const AT_ONCE = 100
/** The id of events before the first `ready`: who comes back with it begins anew. */
const NOWHERE = '0'

const render = responseRenderer(GetRestaurantOrder)

/**
 * The orders of a restaurant as they become and change. An event's id is a position (store/changes.ts): that of the
 * round before on all events of a round but the last, so that a connection cut in the middle loses nothing.
 */
export class RestaurantFeed implements Feed {
  readonly isOver = false
  readonly #db: Db
  readonly #restaurantApiKey: string
  /** Where the client was; null when it begins, or what it sent is none of ours. */
  readonly #resumeAt: string | null
  /** Null until `ready`. */
  #position: changes.Position | null = null
  /** By which change each order was sent, as long as the position is not past it: it comes up again until then. */
  readonly #sent = new Map<string, changes.Position | null>()

  constructor(db: Db, restaurantApiKey: string, lastEventId: string | undefined) {
    this.#db = db
    this.#restaurantApiKey = restaurantApiKey
    this.#resumeAt = lastEventId !== undefined && /^[1-9]\d{0,18}$/.test(lastEventId) ? lastEventId : null
  }

  async *round(): AsyncGenerator<ServerSentEvent> {
    // Before the rows are read: what they do not show yet is not below it.
    const position = await changes.position(this.#db)
    const since = this.#position ?? this.#resumableFrom(position)
    yield* this.#changed(since, position)
    for (const [apiKey, changedIn] of this.#sent)
      if (changes.isBelow(changedIn, position)) this.#sent.delete(apiKey)
    if (this.#position === null) yield { event: 'ready', id: position, data: '{}' }
    this.#position = position
  }

  /** A position that this database has not reached is of another one, from before a restore. */
  #resumableFrom(position: changes.Position): changes.Position | null {
    return this.#resumeAt !== null && !changes.isBelow(position, this.#resumeAt) ? this.#resumeAt : null
  }

  async *#changed(
    since: changes.Position | null,
    position: changes.Position,
  ): AsyncGenerator<ServerSentEvent> {
    for (let after: number | null = 0; after !== null;) {
      const page = await restaurantOrders.changed(this.#db, this.#restaurantApiKey, {
        since,
        after,
        limit: AT_ONCE,
      })
      after = page.length < AT_ONCE ? null : (page.at(-1)?.order.id ?? null)
      const fresh = page.filter(({ order, changedIn }) => this.#sent.get(order.apiKey) !== changedIn)
      for (const [index, { order, link, changedIn }] of fresh.entries()) {
        const isLast = this.#position !== null && after === null && index === fresh.length - 1
        const data = render(restaurantOrderRecord(order, link))
        yield { event: 'order', id: isLast ? position : (since ?? NOWHERE), data }
        this.#sent.set(order.apiKey, changedIn)
      }
    }
  }
}
