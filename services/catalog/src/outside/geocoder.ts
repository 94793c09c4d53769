import type { Point } from '@platter/contracts'
import type { Place } from '#/domain/place.ts'
import { locateByZip } from '#/outside/embedded-geocoder.ts'
import { nominatim } from '#/outside/nominatim.ts'
import { plainCapitals, readZipCodes } from '#/outside/zip-codes.ts'

/** Turns addresses into points. */
export type Geocoder = {
  /** Where an address in words is; null when there is no such place. */
  locate: (address: string) => Promise<Place | null>
  /** The ZIP code area around a point, with the point itself; null when it is in none. */
  around: (point: Point) => Place | null
  /** The ZIP code of a city that has only one; "" for any other city. */
  onlyZipOf: (place: Pick<Place, 'city' | 'state'>) => string
  /** Whether it is a ZIP code whose area is known. */
  isZip: (zip: string) => boolean
}

/** The one at `url`, which is Nominatim-compatible, or without it the embedded one. Points are always looked up in the embedded data. */
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
