import { ConcurrencyLimit, type Permit } from '@platter/kit'

/**
 * The maximum number of concurrent attempts per restaurant. A restaurant that responds in 300 ms receives 53 orders per second from
 * a replica.
 */
export const PER_RESTAURANT = 16
/**
 * The maximum number of attempts that wait for a permit of one restaurant. Together with the permits, this is the number of new
 * orders in progress of a replica.
 */
const PENDING_PER_RESTAURANT = 240
/** Shorter than the time after which a lease is renewed (`lease.ts`), because a renewal is a commit. */
const WAIT_MS = 400

/**
 * Limits the attempts per restaurant. Otherwise a restaurant that does not respond would occupy every attempt of a replica for 10 s
 * each, and delay the orders of all other restaurants. Returns null if no permit is free in time.
 */
export function restaurantLimit(): (restaurantApiKey: string) => Promise<Permit | null> {
  const limit = new ConcurrencyLimit({ permitsPerKey: PER_RESTAURANT, pendingPerKey: PENDING_PER_RESTAURANT })
  return (restaurantApiKey) => limit.waitAtMost(WAIT_MS, restaurantApiKey)
}
