import type { Cents, Point } from '@platter/contracts'
import type { Hours } from '#/domain/hours.ts'

/** Exactly one of zips, points and maxRadius is there; a hole is cut out of any of them. */
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

/** A restaurant as it is kept. Its zones are in order: the first one that holds an address counts. */
export type KeptRestaurant = {
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
  /** From this subtotal up delivery is free; null: never. */
  minFreeDelivery: Cents | null
  /** Parts per million: 80,000 is 8 %. */
  taxRatePpm: number
  acceptsCash: boolean
  acceptsCard: boolean
  offersPickup: boolean
  offersDelivery: boolean
  isTest: boolean
  minWaitMinutes: number
  maxWaitMinutes: number
  hours: Hours
  timezone: string
  zones: Zone[]
  /** It takes no orders until then (epoch, s), whatever the hours say; null: it is not paused. */
  pausedUntil: number | null
}
