import type { CatalogCompleteAddress, CompletedAddress } from '@platter/contracts'
import { Problem } from '@platter/kit'
import type { z } from 'zod'
import { zipOf } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'

type Given = z.output<typeof CatalogCompleteAddress.data>

type Deps = { geocoder: Geocoder }

/**
 * Handles the question `catalog.complete-address`. The client's fields stay unchanged; a point takes precedence over the text. A
 * city determines the ZIP code only if it has exactly one: another ZIP code could be in another delivery zone.
 */
export const completeAddress =
  ({ geocoder }: Deps) =>
  async ({ streetAddress, latitude, longitude, city, state, zip }: Given): Promise<CompletedAddress> => {
    const around =
      latitude === undefined || longitude === undefined ? null : geocoder.around({ latitude, longitude })
    const { place, isUnavailable } = around
      ? { place: around, isUnavailable: false }
      : await located(geocoder, [streetAddress, city, state, zip])
    const found = place ? { ...place, zip: place.zip || geocoder.onlyZipOf(place) } : NOWHERE
    const completed = filled({ city, state, zip }, found)
    const isKnown = geocoder.isZip(zipOf(completed.zip))
    return { ...completed, point: place && isKnown ? place.point : null, isUnavailable }
  }

/** Reports an unavailable geocoder in the reply. Without a reply the caller would wait for its whole timeout. */
async function located(geocoder: Geocoder, parts: readonly (string | undefined)[]) {
  try {
    const words = parts.filter((part) => part !== undefined).join(', ')
    return { place: await geocoder.locate(words), isUnavailable: false }
  } catch (error) {
    if (error instanceof Problem && error.code === 'service-unavailable')
      return { place: null, isUnavailable: true }
    throw error
  }
}

type Fields = Pick<CompletedAddress, 'city' | 'state' | 'zip'>
const NOWHERE: Fields = { city: '', state: '', zip: '' }

const filled = (given: Pick<Given, keyof Fields>, found: Fields): Fields => ({
  city: given.city ?? found.city,
  state: given.state ?? found.state,
  zip: given.zip ?? found.zip,
})
