import { ConcurrencyLimit, type Permit } from '@platter/kit'

/** Attempts at one restaurant at a time. One that responds in 300 ms takes 53 orders a second from a replica. */
export const PER_RESTAURANT = 16
/** Attempts that wait for a permit of one restaurant. With those that have one, as many as a replica has new orders in progress. */
const PENDING_PER_RESTAURANT = 240
/** Shorter than the time after which a lease is renewed (`lease.ts`), which is a commit. */
const WAIT_MS = 400

/**
 * Limits the attempts at each restaurant. Otherwise a restaurant that does not respond occupies every attempt of a replica for
 * 10 s each, and no other restaurant gets its orders. Returns null when no permit is free in time.
 */
export function restaurantLimit(): (restaurantApiKey: string) => Promise<Permit | null> {
  const limit = new ConcurrencyLimit({ permitsPerKey: PER_RESTAURANT, pendingPerKey: PENDING_PER_RESTAURANT })
  return (restaurantApiKey) => limit.waitAtMost(WAIT_MS, restaurantApiKey)
}
