import { Problem } from '@platter/kit'
import { quote, type Destination, type QuoteRequest, type QuoteResult } from '#/domain/quote.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { RestaurantStore } from '#/store/restaurants.ts'

type Deps = { restaurants: Pick<RestaurantStore, 'findForQuote'>; geocoder: Pick<Geocoder, 'locate'> }

/** Handles the question `catalog.quote`. */
export const quoteOrder =
  ({ restaurants, geocoder }: Deps) =>
  async (request: QuoteRequest): Promise<QuoteResult> => {
    const [facts, destination] = await Promise.all([
      restaurants.findForQuote({
        restaurantApiKey: request.restaurantApiKey,
        itemApiKeys: [...new Set(request.items.map(({ apiKey }) => apiKey))],
      }),
      destinationOf(geocoder, request),
    ])
    return quote(request, { ...facts, destination }, Date.now())
  }

async function destinationOf(
  geocoder: Deps['geocoder'],
  { method, address }: QuoteRequest,
): Promise<Destination | null> {
  if (method === 'pickup' || address === null) return null
  const { latitude, longitude, zip } = address
  if (latitude !== null && longitude !== null) return { point: { latitude, longitude }, zip }
  const { streetAddress, city, state } = address
  try {
    const place = await geocoder.locate(`${streetAddress}, ${city}, ${state} ${zip}`)
    return place ? { point: place.point, zip: zip || place.zip } : 'not-on-map'
  } catch (error) {
    // Reported as a fault in the reply. Without a reply the caller would wait for its whole timeout.
    if (error instanceof Problem && error.code === 'service-unavailable') return 'map-unavailable'
    throw error
  }
}
