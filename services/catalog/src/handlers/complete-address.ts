import type { CatalogCompleteAddress, CompletedAddress } from '@platter/contracts'
import type { z } from 'zod'
import { NO_TEXTS, zipOf } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { placeOrUnavailable } from '#/query-place.ts'

type Given = z.output<typeof CatalogCompleteAddress.data>

type Deps = { geocoder: Geocoder }

/**
 * Handles the question `catalog.complete-address`. The client's fields stay unchanged. A point takes precedence over the text, and
 * a known ZIP code over both. A city determines the ZIP code only if it has exactly one: another ZIP code could be in another
 * delivery zone.
 */
export const completeAddress =
  ({ geocoder }: Deps) =>
  async (given: Given): Promise<CompletedAddress> => {
    const { streetAddress, city, state, zip } = given
    const words = [streetAddress, city, state, zip].filter((part) => part !== undefined).join(', ')
    const located = placeAround(geocoder, given) ?? (await placeOrUnavailable(geocoder, words))
    const isUnavailable = located === 'unavailable'
    const place = isUnavailable ? null : located
    const found = place ? { ...place, zip: place.zip || geocoder.onlyZipOf(place) } : NO_TEXTS
    const completed = {
      city: city ?? found.city,
      state: state ?? found.state,
      zip: zip ?? found.zip,
    }
    const isKnown = geocoder.isZip(zipOf(completed.zip))
    return { ...completed, point: place && isKnown ? place.point : null, isUnavailable }
  }

/** Ignores a point beside a known ZIP code: with the point of another place, restaurants there would deliver to the address. */
const placeAround = (geocoder: Geocoder, { latitude, longitude, zip = '' }: Given) =>
  latitude === undefined || longitude === undefined || geocoder.isZip(zipOf(zip))
    ? null
    : geocoder.around({ latitude, longitude })
