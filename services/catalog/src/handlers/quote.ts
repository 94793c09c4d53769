import { Problem } from '@platter/kit'
import { quote, type Answer, type Asked, type Destination } from '#/domain/quote.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Db } from '#/store/database.ts'
import { findForQuote } from '#/store/restaurants.ts'

/** Answers `catalog.quote`: gathers the facts, and lets the domain decide. */
export const answerQuote =
  ({ db, geocoder }: { db: Db; geocoder: Geocoder }) =>
  async (asked: Asked): Promise<Answer> => {
    const [facts, destination] = await Promise.all([
      findForQuote(db, {
        restaurantApiKey: asked.restaurantApiKey,
        itemApiKeys: [...new Set(asked.items.map(({ apiKey }) => apiKey))],
      }),
      destinationOf(geocoder, asked),
    ])
    return quote(asked, { ...facts, destination }, Date.now())
  }

async function destinationOf(geocoder: Geocoder, { method, address }: Asked): Promise<Destination | null> {
  if (method === 'pickup' || address === null) return null
  const { latitude, longitude, zip } = address
  if (latitude !== null && longitude !== null) return { point: { latitude, longitude }, zip }
  const { streetAddress, city, state } = address
  try {
    const place = await geocoder.locate(`${streetAddress}, ${city}, ${state} ${zip}`)
    return place ? { point: place.point, zip: zip || place.zip } : 'not-on-map'
  } catch (error) {
    // Answered rather than left open: whoever asks would wait for the answer in vain.
    if (error instanceof Problem && error.code === 'service-unavailable') return 'map-unavailable'
    throw error
  }
}
