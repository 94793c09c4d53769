import { toMoney, type Address, type DeliveryZone, type Money, type Restaurant } from '@platter/contracts'
import { takesOrders, WEEK, type Hours } from '#/domain/hours.ts'
import type { Place } from '#/domain/place.ts'
import type { KeptRestaurant, Zone } from '#/domain/restaurant.ts'
import { deliveryTerms } from '#/domain/zones.ts'

/** On the wire -1 stands for "never free". */
const NEVER_FREE: Money = -1

/**
 * The restaurant as clients see it at that moment (epoch, ms). For a place, minimum and price of the
 * delivery are those of the zone that holds it; outside every zone it does not offer delivery.
 */
export function restaurantRecord(
  restaurant: KeptRestaurant,
  { place, now }: { place: Place | null; now: number },
): Restaurant {
  const terms = place ? deliveryTerms(restaurant, place) : null
  const { deliveryMin, deliveryPrice } = terms ?? restaurant
  return {
    apiKey: restaurant.apiKey,
    name: restaurant.name,
    logoUrl: restaurant.logoUrl,
    url: restaurant.url,
    streetAddress: restaurant.streetAddress,
    city: restaurant.city,
    state: restaurant.state,
    zip: restaurant.zip,
    latitude: restaurant.latitude,
    longitude: restaurant.longitude,
    phone: restaurant.phone,
    foodTypes: restaurant.foodTypes,
    deliveryMin: toMoney(deliveryMin),
    deliveryPrice: toMoney(deliveryPrice),
    minFreeDelivery: restaurant.minFreeDelivery === null ? NEVER_FREE : toMoney(restaurant.minFreeDelivery),
    taxRate: restaurant.taxRatePpm / 1_000_000,
    acceptsCash: restaurant.acceptsCash,
    acceptsCard: restaurant.acceptsCard,
    offersPickup: restaurant.offersPickup,
    offersDelivery: place ? terms !== null : restaurant.offersDelivery,
    isTestRestaurant: restaurant.isTest,
    minWaitTime: restaurant.minWaitMinutes,
    maxWaitTime: restaurant.maxWaitMinutes,
    open: takesOrders(restaurant, now),
    hours: hoursRecord(restaurant.hours),
    timezone: restaurant.timezone,
  }
}

/** From Monday on; the database keeps the days in no order. A day off is absent, because existing clients read its first range. */
const hoursRecord = (hours: Hours): Record<string, string[]> =>
  Object.fromEntries(
    WEEK.flatMap((day) => {
      const ranges = hours[day]
      return ranges && ranges.length > 0 ? [[day, [...ranges]]] : []
    }),
  )

/** The same with its zones, as only the details have them. */
export const detailsRecord = (
  restaurant: KeptRestaurant,
  seen: { place: Place | null; now: number },
): Restaurant => ({ ...restaurantRecord(restaurant, seen), zones: restaurant.zones.map(zoneRecord) })

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

/** The place that was searched around, as the answer of a search tells it. */
export function placeRecord(place: Place | null): Address {
  const { streetAddress, city, state, zip, point } = place ?? NOWHERE
  return { apiKey: null, streetAddress, aptNumber: null, city, state, zip, ...point }
}

const NOWHERE = {
  streetAddress: '',
  city: '',
  state: '',
  zip: '',
  point: { latitude: null, longitude: null },
}
