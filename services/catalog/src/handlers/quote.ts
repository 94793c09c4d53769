import { quote, type Destination, type QuoteRequest, type QuoteResult } from '#/domain/quote.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { placeOrUnavailable } from '#/query-place.ts'
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
  const place = await placeOrUnavailable(geocoder, `${streetAddress}, ${city}, ${state} ${zip}`)
  if (place === 'unavailable') return 'map-unavailable'
  return place ? { point: place.point, zip: zip || place.zip } : 'not-on-map'
}
