import type { Point } from '@platter/contracts'
import type { Place } from '#/domain/place.ts'
import { locateByZip } from '#/outside/embedded-geocoder.ts'
import { nominatim } from '#/outside/nominatim.ts'
import { plainCapitals, readZipCodes } from '#/outside/zip-codes.ts'

/** Converts addresses to points, and points to ZIP codes. */
export type Geocoder = {
  /** Returns the place of an address; null if it is not found. Rejects with service-unavailable. */
  locate: (address: string) => Promise<Place | null>
  /** Returns the point with its ZIP code area; null outside all areas. */
  around: (point: Point) => Place | null
  /** Returns the ZIP code of a city with exactly one ZIP code; "" for any other city. */
  onlyZipOf: (place: Pick<Place, 'city' | 'state'>) => string
  /** Returns whether `zip` is a ZIP code with a known area. */
  isZip: (zip: string) => boolean
}

/**
 * Locates addresses with the Nominatim-compatible server at `url`, or without a URL with the embedded data. Points always use the
 * embedded data.
 */
export function createGeocoder(url: string | undefined): Geocoder {
  const zipCodes = readZipCodes()
  return {
    locate: url === undefined ? async (address) => locateByZip(zipCodes, address) : nominatim(url),
    onlyZipOf: ({ city, state }) => zipCodes.onlyOneOf(city, plainCapitals(state)) ?? '',
    isZip: (zip) => zipCodes.byZip(zip) !== undefined,
    around(point) {
      const code = zipCodes.nearest(point)
      return code ? { point, streetAddress: '', city: code.city, state: code.state, zip: code.zip } : null
    },
  }
}
