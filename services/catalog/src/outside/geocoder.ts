import type { Point } from '@platter/contracts'
import type { Place } from '#/domain/place.ts'
import { locateByZip } from '#/outside/embedded-geocoder.ts'
import { nominatim } from '#/outside/nominatim.ts'
import { plainCapitals, readZipCodes } from '#/outside/zip-codes.ts'

/** Converts addresses to points, and points to ZIP codes. */
export type Geocoder = {
  /** The place of an address; null when it is not found. Rejects with service-unavailable. */
  locate: (address: string) => Promise<Place | null>
  /** The point with its ZIP code area; null outside all areas. */
  around: (point: Point) => Place | null
  /** The ZIP code of a city that has a single one; "" for any other city. */
  onlyZipOf: (place: Pick<Place, 'city' | 'state'>) => string
  /** Whether `zip` is a ZIP code with a known area. */
  isZip: (zip: string) => boolean
}

/** Locates addresses by the Nominatim-compatible server at `url`, without it by the embedded data. Points by the embedded data only. */
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
