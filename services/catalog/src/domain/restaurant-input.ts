import type { Cents, Fault, RestaurantInput } from '@platter/contracts'
import { located, repeatedKeys } from '#/domain/api-keys.ts'
import { centsOf } from '#/domain/money.ts'
import { zipOf } from '#/domain/place.ts'
import type { Restaurant, Zone } from '#/domain/restaurant.ts'

const MILLION = 1_000_000

/** Converts the validated body of put-restaurant. `apiKey` comes from the path. */
export function restaurantOf(
  apiKey: string,
  { zones = [], taxRate, minFreeDelivery, ...same }: RestaurantInput,
): Restaurant {
  const terms = { deliveryMin: centsOf(same.deliveryMin), deliveryPrice: centsOf(same.deliveryPrice) }
  return {
    ...same,
    ...terms,
    apiKey,
    minFreeDelivery: minFreeDelivery === -1 ? null : centsOf(minFreeDelivery),
    taxRatePpm: Math.round(taxRate * MILLION),
    isAttended: true,
    pausedUntil: null,
    zones: zones.map((zone) => zoneOf(zone, terms)),
  }
}

type ZoneInput = NonNullable<RestaurantInput['zones']>[number]

const zoneOf = (zone: ZoneInput, restaurant: { deliveryMin: Cents; deliveryPrice: Cents }): Zone => ({
  apiKey: zone.apiKey,
  description: zone.description ?? null,
  zips: zone.zips?.map(zipOf) ?? null,
  points: zone.points ?? null,
  holePoints: zone.holePoints ?? null,
  maxRadius: zone.maxRadius ?? null,
  deliveryMin: zone.deliveryMin === undefined ? restaurant.deliveryMin : centsOf(zone.deliveryMin),
  deliveryPrice: zone.deliveryPrice === undefined ? restaurant.deliveryPrice : centsOf(zone.deliveryPrice),
})

const invalid = (pointer: string, detail: string): Fault => ({ pointer, code: 'invalid-field', detail })

/** Returns faults between fields; the schema has checked each field. `apiKey` comes from the path. */
export function restaurantFaults(apiKey: string, input: RestaurantInput): Fault[] {
  const faults = repeatedKeys(locatedZones(input))
  if (input.apiKey !== undefined && input.apiKey !== apiKey) {
    faults.push(invalid('/apiKey', 'apiKey differs from the apiKey in the path.'))
  }
  if (Math.round(input.taxRate * MILLION) / MILLION !== input.taxRate) {
    faults.push(invalid('/taxRate', 'taxRate has more than six decimals.'))
  }
  if (input.minWaitTime > input.maxWaitTime) {
    faults.push(invalid('/minWaitTime', 'minWaitTime is more than maxWaitTime.'))
  }
  return faults
}

/** Returns the zones of the body with their pointers. */
export const locatedZones = ({ zones = [] }: RestaurantInput) => located(zones, '/zones')
