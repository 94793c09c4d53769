import type { Cents, Point } from '@platter/contracts'
import type { Hours } from '#/domain/hours.ts'

/** Exactly one of `zips`, `points` and `maxRadius` is not null; `holePoints` is cut out of any of them. */
export type Zone = {
  apiKey: string
  description: string | null
  zips: string[] | null
  points: Point[] | null
  holePoints: Point[] | null
  /** Miles around the restaurant. */
  maxRadius: number | null
  deliveryMin: Cents
  deliveryPrice: Cents
}

/** A stored restaurant: its record with money in cents. Its zones are in order: the first one that contains an address applies. */
export type Restaurant = {
  apiKey: string
  name: string
  logoUrl: string
  url: string
  streetAddress: string
  city: string
  state: string
  zip: string
  latitude: number
  longitude: number
  phone: string
  foodTypes: string[]
  deliveryMin: Cents
  deliveryPrice: Cents
  /** Delivery is free from this subtotal; null: never. */
  minFreeDelivery: Cents | null
  /** Parts per million: 80,000 is 8 %. */
  taxRatePpm: number
  acceptsCash: boolean
  acceptsCard: boolean
  offersPickup: boolean
  offersDelivery: boolean
  isTestRestaurant: boolean
  /** Minutes. */
  customerCancelMinutes: number
  /** Minutes. */
  minWaitTime: number
  /** Minutes. */
  maxWaitTime: number
  hours: Hours
  timezone: string
  zones: Zone[]
  /** False: it is open during its hours also while it is unattended. */
  requireAttendance: boolean
  /** Whether a client or a system of the restaurant takes its orders, or need not. */
  isAttended: boolean
  /** End of the pause (epoch, s), in which the restaurant takes no orders at any hour; null: it is not paused; see UNTIL_RESUMED. */
  pausedUntil: number | null
}
