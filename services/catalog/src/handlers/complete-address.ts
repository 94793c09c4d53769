import type { CatalogCompleteAddress, CompletedAddress } from '@platter/contracts'
import type { z } from 'zod'
import { zipOf } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { placeOrUnavailable } from '#/query-place.ts'

type Given = z.output<typeof CatalogCompleteAddress.data>

type Deps = { geocoder: Geocoder }

/**
 * Handles the question `catalog.complete-address`. The client's fields stay unchanged. A point takes precedence over the text, but
 * not over a known ZIP code: with the point of another place, restaurants there would deliver to the address. A city determines the
 * ZIP code only if it has exactly one: another ZIP code could be in another delivery zone.
 */
export const completeAddress =
  ({ geocoder }: Deps) =>
  async ({ streetAddress, latitude, longitude, city, state, zip }: Given): Promise<CompletedAddress> => {
    const isKnown = (code: string | undefined) => geocoder.isZip(zipOf(code ?? ''))
    const around =
      isKnown(zip) || latitude === undefined || longitude === undefined
        ? null
        : geocoder.around({ latitude, longitude })
    const words = [streetAddress, city, state, zip].filter((part) => part !== undefined).join(', ')
    const located = around ?? (await placeOrUnavailable(geocoder, words))
    const isUnavailable = located === 'unavailable'
    const place = isUnavailable ? null : located
    const found = place ? { ...place, zip: place.zip || geocoder.onlyZipOf(place) } : NOWHERE
    const completed = {
      city: city ?? found.city,
      state: state ?? found.state,
      zip: zip ?? found.zip,
    }
    return { ...completed, point: place && isKnown(completed.zip) ? place.point : null, isUnavailable }
  }

const NOWHERE = { city: '', state: '', zip: '' }
