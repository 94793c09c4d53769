import type { Cents, Point, RestaurantInput } from '@platter/contracts'
import type { Hours } from '#/domain/hours.ts'

/** Exactly one of `zips`, `points` and `maxRadius` is not null. `holePoints` is excluded from any of them. */
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

/** The fields that put-restaurant stores unchanged. */
type Same = Omit<
  RestaurantInput,
  'apiKey' | 'deliveryMin' | 'deliveryPrice' | 'minFreeDelivery' | 'taxRate' | 'hours' | 'zones'
>

/** A stored restaurant: its record with money in cents. Its zones are ordered; the first zone that contains an address applies. */
export type Restaurant = Same & {
  apiKey: string
  deliveryMin: Cents
  deliveryPrice: Cents
  /** Delivery is free from this subtotal; null: never. */
  minFreeDelivery: Cents | null
  /** Parts per million: 80,000 is 8 %. */
  taxRatePpm: number
  hours: Hours
  zones: Zone[]
  /** Whether a client or a system of the restaurant takes its orders, or attendance is not required. */
  isAttended: boolean
  /**
   * The end of the pause (epoch, s). Until then the restaurant takes no orders, even during its hours. Null: not paused. See
   * UNTIL_RESUMED.
   */
  pausedUntil: number | null
}
