import { LRUCache } from 'lru-cache'
import type { Db } from '#/store/database.ts'
import { findRestaurant, type VersionedRestaurant } from '#/store/restaurants.ts'

/** 8 MB of JSON, which parsed are 16: 3,000 restaurants with a dozen opening hours and a zone each. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * A restored database counts its transactions on from an earlier one, so that a version could return. It would have to be
 * that of the same restaurant, within this time.
 */
const MAX_AGE_MS = 60_000

/** A restaurant as the database has it at this moment. */
export type CurrentRestaurant = Pick<VersionedRestaurant, 'apiKey' | 'version' | 'pausedUntil'>

/**
 * Restaurants as they were read and parsed, by version. Nothing is ever invalidated: whoever asks has read the current
 * version from the database, as each search does, and so a change is felt at once by every replica. Reading and parsing
 * the restaurants of a result anew took two thirds of the CPU of a search in this service.
 */
export class HeldRestaurants {
  readonly #db: Db
  readonly #held = new LRUCache<string, VersionedRestaurant>({
    maxSize: MAX_BYTES,
    sizeCalculation: (restaurant) => JSON.stringify(restaurant).length,
    ttl: MAX_AGE_MS,
  })

  constructor(db: Db) {
    this.#db = db
  }

  /** In their order; without those that have been removed meanwhile. */
  async find(restaurants: readonly CurrentRestaurant[]): Promise<VersionedRestaurant[]> {
    const found = await Promise.all(restaurants.map((restaurant) => this.#current(restaurant)))
    return found.flatMap((restaurant) => restaurant ?? [])
  }

  async #current({ apiKey, version, pausedUntil }: CurrentRestaurant): Promise<VersionedRestaurant | null> {
    const held = this.#held.get(apiKey)
    // A pause ends without a new version.
    if (held?.version === version) return held.pausedUntil === pausedUntil ? held : { ...held, pausedUntil }
    // Of the version that is current by now, which may be newer.
    const restaurant = await findRestaurant(this.#db, apiKey)
    if (restaurant) this.#held.set(apiKey, restaurant)
    return restaurant
  }
}
