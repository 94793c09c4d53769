import { Cache } from '@platter/kit'
import type { RestaurantStore, VersionedRestaurant } from '#/store/restaurants.ts'

/** 8 MB of JSON, which take 16 when parsed: 3,000 restaurants with a dozen opening hours and a zone each. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * A restored database counts its transactions from an earlier one, so that a version could repeat: for the same restaurant, within
 * this time.
 */
const MAX_AGE_MS = 60_000

/** The state of a restaurant in the database: its version, and what changes without a change of the row. */
export type CurrentRestaurant = Pick<VersionedRestaurant, 'apiKey' | 'version' | 'pausedUntil' | 'isAttended'>

/**
 * Parsed restaurants by version. Nothing is invalidated: each search reads the current versions first, so that the next search at
 * any replica returns a change. Reading and parsing the restaurants each time took two thirds of the CPU of a search here.
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

  /** The restaurants in this order, without those that are removed meanwhile. */
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
    // It may be newer than `version`.
    const restaurant = await this.#restaurants.find(apiKey)
    if (restaurant) this.#cached.set(apiKey, restaurant)
    return restaurant
  }
}
