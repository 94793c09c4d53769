import type { Cents, Point, RestaurantInput } from '@platter/contracts'
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

/** The fields that are stored as put-restaurant receives them. */
type Same = Omit<
  RestaurantInput,
  'apiKey' | 'deliveryMin' | 'deliveryPrice' | 'minFreeDelivery' | 'taxRate' | 'hours' | 'zones'
>

/** A stored restaurant: its record with money in cents. Its zones are in order: the first one that contains an address applies. */
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
  /** Whether a client or a system of the restaurant takes its orders, or need not. */
  isAttended: boolean
  /** End of the pause (epoch, s), in which the restaurant takes no orders at any hour; null: it is not paused; see UNTIL_RESUMED. */
  pausedUntil: number | null
}
