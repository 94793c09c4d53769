import type { Bus } from '@platter/bus'
import { CatalogQuote, requestTimes, type RestaurantLink } from '@platter/contracts'
import type { Log, RequestContext } from '@platter/kit'
import { isKnownSecret } from '@platter/kit/security/known-secrets'
import type { Receipt, Transmission } from '#/delivery/outside/restaurant-link.ts'

type Transmit = (link: RestaurantLink, sent: Transmission) => Promise<Receipt>

/** Whether the link is that of a simulated restaurant: its secret is public, so no kitchen is behind it. */
export const isDevelopmentLink = (link: RestaurantLink): boolean =>
  link.kind === 'webhook' && isKnownSecret(link.secret)

/**
 * Refuses orders with real payments for simulated restaurants, which would accept them. A test order is never charged, and only
 * test restaurants get one. put-restaurant-link refuses such a link too, but its row may be older, or the restaurant may have been
 * a test restaurant then.
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

/** Reads from catalog whether it is a test restaurant; false also for an unknown restaurant. */
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
