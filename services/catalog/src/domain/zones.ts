import type { Cents, Point } from '@platter/contracts'
import { boxAround, boxOf, isInside, milesBetween, type Box } from '#/domain/geo.ts'
import { zipOf } from '#/domain/place.ts'
import type { Restaurant, Zone } from '#/domain/restaurant.ts'

/** The delivery radius of a restaurant without zones. */
export const DEFAULT_RADIUS_MILES = 5

export type Deliverer = Pick<
  Restaurant,
  'latitude' | 'longitude' | 'offersDelivery' | 'deliveryMin' | 'deliveryPrice' | 'zones'
>
type DeliveryTerms = { deliveryMin: Cents; deliveryPrice: Cents }

/** Returns minimum and price of a delivery to the place; null if the restaurant does not deliver there. */
export function deliveryTerms(
  restaurant: Deliverer,
  place: { point: Point; zip: string },
): DeliveryTerms | null {
  if (!restaurant.offersDelivery) return null
  if (restaurant.zones.length === 0) {
    return milesBetween(restaurant, place.point) <= DEFAULT_RADIUS_MILES ? restaurant : null
  }
  return restaurant.zones.find((zone) => contains(zone, restaurant, place)) ?? null
}

function contains(zone: Zone, centre: Point, { point, zip }: { point: Point; zip: string }): boolean {
  if (zone.holePoints && isInside(point, zone.holePoints)) return false
  if (zone.zips) return zone.zips.includes(zipOf(zip))
  if (zone.points) return isInside(point, zone.points)
  return zone.maxRadius !== null && milesBetween(centre, point) <= zone.maxRadius
}

/** Returns a box that contains the zone, for the preselection in SQL; null for a list of ZIP codes. */
export function boundsOf(zone: Zone, centre: Point): Box | null {
  if (zone.points) return boxOf(zone.points)
  return zone.maxRadius === null ? null : boxAround(centre, zone.maxRadius)
}
