import type { Bus } from '@platter/bus'
import { CatalogQuote, requestTimes, type RestaurantLink } from '@platter/contracts'
import type { Log, RequestContext } from '@platter/kit'
import { isKnownSecret } from '@platter/kit/security/known-secrets'
import type { Transmit } from '#/delivery/outside/restaurant-link.ts'

/** Returns whether the link belongs to a simulated restaurant: its secret is public, so it is not a real restaurant's. */
export const isDevelopmentLink = (link: RestaurantLink): boolean =>
  link.kind === 'webhook' && isKnownSecret(link.secret)

/**
 * Refuses orders with real payments for simulated restaurants, which would accept them. A test order is never charged, and goes
 * only to test restaurants. put-restaurant-link rejects such a link too, but the row may be older, or the restaurant may have been
 * a test restaurant at that time.
 */
export const refusingDevelopmentLinks =
  (log: Log, transmit: Transmit): Transmit =>
  async (link, sent) => {
    const { apiKey: orderApiKey, restaurantApiKey, test } = sent.order
    if (test || !isDevelopmentLink(link)) return transmit(link, sent)
    log.error(
      { orderApiKey, restaurantApiKey },
      'an order was refused: the link of its restaurant has a public secret; set the link again',
    )
    return { kind: 'refused', reason: 'The restaurant is not ready for orders.' }
  }

/** Returns whether a restaurant is a test restaurant, by a question to catalog; false for an unknown restaurant. */
export const testRestaurants =
  (bus: Pick<Bus, 'ask'>) =>
  async (restaurantApiKey: string, { requestId }: Pick<RequestContext, 'requestId'>): Promise<boolean> => {
    const { faults } = await bus.ask(
      CatalogQuote,
      { restaurantApiKey, method: 'pickup', payment: 'cash', items: [], address: null, test: false },
      { requestId, timeoutMs: requestTimes.question },
    )
    return faults.some(({ code }) => code === 'test-restaurant-only')
  }
