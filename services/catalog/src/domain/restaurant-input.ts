import type { Cents, Fault, RestaurantInput } from '@platter/contracts'
import { repeated } from '#/domain/menu.ts'
import { centsOf } from '#/domain/money.ts'
import type { KeptRestaurant, Zone } from '#/domain/restaurant.ts'
import { folded } from '#/domain/search.ts'

const MILLION = 1_000_000

/** The restaurant as it is kept. */
export function restaurantFrom(apiKey: string, input: RestaurantInput): KeptRestaurant {
  const deliveryMin = centsOf(input.deliveryMin)
  const deliveryPrice = centsOf(input.deliveryPrice)
  return {
    apiKey,
    name: input.name,
    logoUrl: input.logoUrl,
    url: input.url,
    streetAddress: input.streetAddress,
    city: input.city,
    state: input.state,
    zip: input.zip,
    latitude: input.latitude,
    longitude: input.longitude,
    phone: input.phone,
    foodTypes: input.foodTypes,
    deliveryMin,
    deliveryPrice,
    minFreeDelivery: input.minFreeDelivery === -1 ? null : centsOf(input.minFreeDelivery),
    taxRatePpm: Math.round(input.taxRate * MILLION),
    acceptsCash: input.acceptsCash,
    acceptsCard: input.acceptsCard,
    offersPickup: input.offersPickup,
    offersDelivery: input.offersDelivery,
    isTest: input.isTestRestaurant,
    minWaitMinutes: input.minWaitTime,
    maxWaitMinutes: input.maxWaitTime,
    hours: input.hours,
    timezone: input.timezone,
    pausedUntil: null,
    zones: (input.zones ?? []).map((zone) => zoneFrom(zone, { deliveryMin, deliveryPrice })),
  }
}

type ZoneInput = NonNullable<RestaurantInput['zones']>[number]

const zoneFrom = (zone: ZoneInput, own: { deliveryMin: Cents; deliveryPrice: Cents }): Zone => ({
  apiKey: zone.apiKey,
  description: zone.description ?? null,
  zips: zone.zips ?? null,
  points: zone.points ?? null,
  holePoints: zone.holePoints ?? null,
  maxRadius: zone.maxRadius ?? null,
  deliveryMin: zone.deliveryMin === undefined ? own.deliveryMin : centsOf(zone.deliveryMin),
  deliveryPrice: zone.deliveryPrice === undefined ? own.deliveryPrice : centsOf(zone.deliveryPrice),
})

const wrong = (pointer: string, detail: string): Fault => ({ pointer, code: 'invalid-field', detail })

/** What is wrong with a restaurant, apart from the shape of each field; `apiKey` is the path's. */
export function restaurantFaults(apiKey: string, input: RestaurantInput): Fault[] {
  const faults = repeated(zoneKeys(input))
  if (input.apiKey !== undefined && input.apiKey !== apiKey) {
    faults.push(wrong('/apiKey', 'apiKey is not the one in the path.'))
  }
  if (Math.round(input.taxRate * MILLION) / MILLION !== input.taxRate) {
    faults.push(wrong('/taxRate', 'taxRate has more than six decimals.'))
  }
  if (input.minWaitTime > input.maxWaitTime) {
    faults.push(wrong('/minWaitTime', 'minWaitTime is more than maxWaitTime.'))
  }
  return faults
}

/** Zones whose key is another restaurant's. */
export const takenZoneFaults = (input: RestaurantInput, taken: ReadonlySet<string>): Fault[] =>
  zoneKeys(input)
    .filter(({ apiKey }) => taken.has(apiKey))
    .map(({ pointer }) => ({
      pointer,
      code: 'apikey-taken',
      detail: 'This apiKey belongs to another restaurant.',
    }))

const zoneKeys = (input: RestaurantInput) =>
  (input.zones ?? []).map(({ apiKey }, index) => ({ apiKey, pointer: `/zones/${index}/apiKey` }))

/** What is searched in of the restaurant itself; the names of its items are kept beside it. */
export const searchText = ({ name, foodTypes }: KeptRestaurant): string =>
  folded([name, ...foodTypes].join('\n'))
