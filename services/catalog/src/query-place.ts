import type { Fault, PlaceQuery } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { NO_TEXTS, NOT_ON_MAP, zipAtEnd, type Place } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'

/**
 * Returns the place of a search; null if the query has none. A point takes precedence over an address. Throws a Problem for half a
 * point and for an address that is not found.
 */
export async function requirePlace(geocoder: Geocoder, query: PlaceQuery): Promise<Place | null> {
  const { latitude, longitude, 'street-address': address } = query
  if (latitude !== undefined && longitude === undefined) throw Problem.of([halfPoint('longitude')])
  if (longitude !== undefined && latitude === undefined) throw Problem.of([halfPoint('latitude')])
  const place = await findPlace(geocoder, query)
  if (place || address === undefined) return place
  throw Problem.of([
    { pointer: 'query/street-address', code: 'address-not-found-on-map', detail: NOT_ON_MAP },
  ])
}

/** Returns the place of a query that does not require one. Null also for half a point and for an address that is not found. */
export async function findPlace(geocoder: Geocoder, query: PlaceQuery): Promise<Place | null> {
  const { latitude, longitude, 'street-address': address } = query
  if (latitude === undefined || longitude === undefined)
    return address === undefined ? null : geocoder.locate(address)
  const point = { latitude, longitude }
  const near = geocoder.around(point) ?? { point, ...NO_TEXTS }
  return { ...near, zip: zipAtEnd(address ?? '') || near.zip }
}

/**
 * Returns the place of an address for a question. An unavailable geocoder is a value: without a reply the caller would wait for its
 * whole timeout.
 */
export const placeOrUnavailable = (geocoder: Pick<Geocoder, 'locate'>, address: string) =>
  geocoder.locate(address).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'service-unavailable') return 'unavailable' as const
    throw error
  })

const halfPoint = (missing: string): Fault => ({
  pointer: `query/${missing}`,
  code: 'missing-field',
  detail: `${missing} is missing: a point has both latitude and longitude.`,
})
