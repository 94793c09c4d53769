import {
  toMoney,
  WEEK,
  type Address,
  type DeliveryZone,
  type Money,
  type Restaurant as RestaurantRecord,
} from '@platter/contracts'
import { closedReason, opensAt, type Hours } from '#/domain/hours.ts'
import { NO_TEXTS, type Place } from '#/domain/place.ts'
import type { Restaurant, Zone } from '#/domain/restaurant.ts'
import { deliveryTerms } from '#/domain/zones.ts'

const NEVER_FREE: Money = -1

/**
 * Returns the restaurant as clients read it at `now` (epoch, ms). With a place, the minimum and the price of delivery are those of
 * its zone. Outside all zones the restaurant offers no delivery.
 */
export function restaurantRecord(
  restaurant: Restaurant,
  { place, now }: { place: Place | null; now: number },
): RestaurantRecord {
  const {
    zones: _zones,
    pausedUntil: _pausedUntil,
    isAttended: _isAttended,
    taxRatePpm,
    ...same
  } = restaurant
  const reason = closedReason(restaurant, now)
  const terms = place ? deliveryTerms(restaurant, place) : null
  const { deliveryMin, deliveryPrice } = terms ?? same
  return {
    ...same,
    deliveryMin: toMoney(deliveryMin),
    deliveryPrice: toMoney(deliveryPrice),
    minFreeDelivery: same.minFreeDelivery === null ? NEVER_FREE : toMoney(same.minFreeDelivery),
    taxRate: taxRatePpm / 1_000_000,
    offersDelivery: place ? terms !== null : same.offersDelivery,
    open: reason === null,
    closedReason: reason ?? undefined,
    opensAt: opensAt(restaurant, now) ?? undefined,
    hours: hoursRecord(same.hours),
  }
}

/**
 * Sorts the days from Monday to Sunday, because jsonb does not keep their order. A closed day is absent, because existing clients
 * read the first range of every day.
 */
const hoursRecord = (hours: Hours): Record<string, string[]> =>
  Object.fromEntries(
    WEEK.flatMap((day) => {
      const ranges = hours[day]
      return ranges && ranges.length > 0 ? [[day, [...ranges]]] : []
    }),
  )

/** Returns the record with its zones. */
export const detailsRecord = (
  restaurant: Restaurant,
  seen: { place: Place | null; now: number },
): RestaurantRecord => ({ ...restaurantRecord(restaurant, seen), zones: restaurant.zones.map(zoneRecord) })

const zoneRecord = (zone: Zone): DeliveryZone => ({
  apiKey: zone.apiKey,
  description: zone.description ?? undefined,
  zips: zone.zips ?? undefined,
  points: zone.points ?? undefined,
  holePoints: zone.holePoints ?? undefined,
  maxRadius: zone.maxRadius ?? undefined,
  deliveryMin: toMoney(zone.deliveryMin),
  deliveryPrice: toMoney(zone.deliveryPrice),
})

/** Returns the place of a search for its response. */
export function placeRecord(place: Place | null): Address {
  const { streetAddress, city, state, zip } = place ?? NO_TEXTS
  const { latitude, longitude } = place?.point ?? { latitude: null, longitude: null }
  return { apiKey: null, streetAddress, aptNumber: null, city, state, zip, latitude, longitude }
}
