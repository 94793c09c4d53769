import type { Point } from '@platter/contracts'

/** Mean radius of the Earth. */
const EARTH_MILES = 3958.7613
/** A bounding box only preselects. A box that is too large is harmless; a box that is too small would omit restaurants. */
const MARGIN = 1.001

/** Degrees. A box that touches a pole or the 180th meridian contains all longitudes. */
export type Box = { south: number; west: number; north: number; east: number }

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** Returns the great-circle distance in miles. */
export function milesBetween(one: Point, other: Point): number {
  const height = Math.sin(radians(other.latitude - one.latitude) / 2)
  const width = Math.sin(radians(other.longitude - one.longitude) / 2)
  const chord =
    height * height + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * width * width
  return 2 * EARTH_MILES * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Returns a box that contains every point within `miles`. */
export function boxAround({ latitude, longitude }: Point, miles: number): Box {
  const angle = (miles / EARTH_MILES) * MARGIN
  // At 1 or more the circle contains a pole, and therefore every longitude.
  const sine = Math.sin(angle) / Math.cos(radians(latitude))
  const width = sine < 1 ? degrees(Math.asin(sine)) : 180
  const around = longitude - width < -180 || longitude + width > 180
  return {
    south: Math.max(-90, latitude - degrees(angle)),
    north: Math.min(90, latitude + degrees(angle)),
    west: around ? -180 : longitude - width,
    east: around ? 180 : longitude + width,
  }
}

/** Returns the smallest box that contains all points. At least one point is required. */
export function boxOf(points: readonly Point[]): Box {
  const latitudes = points.map(({ latitude }) => latitude)
  const longitudes = points.map(({ longitude }) => longitude)
  return {
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
  }
}

/**
 * Returns whether the point is in the polygon (even-odd rule, edges to the east). Edges are straight in latitude and longitude, as
 * on the map on which the polygon was drawn. No edge crosses the 180th meridian (`RestaurantInput`). An edge joins the last point to the first.
 */
export function isInside(point: Point, polygon: readonly Point[]): boolean {
  let inside = false
  let from = polygon.at(-1)
  for (const to of polygon) {
    if (from && crosses(point, from, to)) inside = !inside
    from = to
  }
  return inside
}

function crosses(point: Point, from: Point, to: Point): boolean {
  const { latitude, longitude } = point
  if (from.latitude > latitude === to.latitude > latitude) return false
  // Adjacent zones have their common edge in opposite directions. Rounding must not put a point on it in both or in neither.
  if (from.latitude > to.latitude) return crosses(point, to, from)
  const share = (latitude - from.latitude) / (to.latitude - from.latitude)
  return longitude < from.longitude + share * (to.longitude - from.longitude)
}
