import { Cache } from '@platter/kit'
import type { RestaurantStore, VersionedRestaurant } from '#/store/restaurants.ts'

/** 8 MB of JSON, which take 16 MB when parsed: 3,000 restaurants, each with a dozen opening hours and a zone. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * A restored database continues its transaction ids from an earlier value. Within this time, a version could repeat for the same
 * restaurant.
 */
const MAX_AGE_MS = 60_000

/** The state of a restaurant in the database: its version, and the fields that change without a change of the row. */
export type CurrentRestaurant = Pick<VersionedRestaurant, 'apiKey' | 'version' | 'pausedUntil' | 'isAttended'>

/**
 * Caches parsed restaurants by version. No entry is invalidated: each search first reads the current versions, so the next search
 * at any replica returns a change. Reading and parsing the restaurants each time took two thirds of a search's CPU.
 */
export class RestaurantCache {
  readonly #restaurants: Pick<RestaurantStore, 'find'>
  readonly #cached = new Cache<VersionedRestaurant>({
    maxBytes: MAX_BYTES,
    sizeOf: (restaurant) => JSON.stringify(restaurant).length,
    ttlMs: MAX_AGE_MS,
  })

  constructor(restaurants: Pick<RestaurantStore, 'find'>) {
    this.#restaurants = restaurants
  }

  /** Returns the restaurants in this order, without restaurants that were removed in the meantime. */
  async find(current: readonly CurrentRestaurant[]): Promise<VersionedRestaurant[]> {
    const found = await Promise.all(current.map((restaurant) => this.#findOne(restaurant)))
    return found.flatMap((restaurant) => restaurant ?? [])
  }

  async #findOne(current: CurrentRestaurant): Promise<VersionedRestaurant | null> {
    const { apiKey, version, pausedUntil, isAttended } = current
    const cached = this.#cached.get(apiKey)
    if (cached?.version === version)
      return cached.pausedUntil === pausedUntil && cached.isAttended === isAttended
        ? cached
        : { ...cached, pausedUntil, isAttended }
    // The result may be newer than `version`.
    const restaurant = await this.#restaurants.find(apiKey)
    if (restaurant) this.#cached.set(apiKey, restaurant)
    return restaurant
  }
}
