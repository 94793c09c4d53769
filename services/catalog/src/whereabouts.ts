import type { Fault, Whereabouts } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { zipAtEnd, type Place } from './domain/place.ts'
import type { Geocoder } from './outside/geocoder.ts'

/** The place that a query means; null when it names none. A point counts more than an address in words. */
export async function whereIs(geocoder: Geocoder, query: Whereabouts): Promise<Place | null> {
  const { latitude, longitude, 'street-address': address } = query
  if (latitude !== undefined && longitude !== undefined) {
    const point = { latitude, longitude }
    const near = geocoder.around(point) ?? { point, streetAddress: '', city: '', state: '', zip: '' }
    return { ...near, zip: zipAtEnd(address ?? '') || near.zip }
  }
  if (latitude !== undefined) throw Problem.of([halfPoint('longitude')])
  if (longitude !== undefined) throw Problem.of([halfPoint('latitude')])
  if (address === undefined) return null
  const place = await geocoder.locate(address)
  if (place) return place
  const detail = 'The address was not found on the map.'
  throw Problem.of([{ pointer: 'query/street-address', code: 'address-not-found-on-map', detail }])
}

const halfPoint = (missing: string): Fault => ({
  pointer: `query/${missing}`,
  code: 'missing-field',
  detail: `${missing} is missing: a point has both latitude and longitude.`,
})
