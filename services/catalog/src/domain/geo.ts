import type { Point } from '@platter/contracts'

/** Mean radius of the Earth. */
const EARTH_MILES = 3958.7613
/** A box is a first selection only: a little too large does no harm, too small would lose somebody. */
const MARGIN = 1.001

/** Degrees; the longitudes of a box that touches a pole or the 180th meridian are all of them. */
export type Box = { south: number; west: number; north: number; east: number }

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** Great-circle distance. */
export function milesBetween(one: Point, other: Point): number {
  const height = Math.sin(radians(other.latitude - one.latitude) / 2)
  const width = Math.sin(radians(other.longitude - one.longitude) / 2)
  const chord =
    height * height + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * width * width
  return 2 * EARTH_MILES * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** A box that holds every point within so many miles. */
export function boxAround({ latitude, longitude }: Point, miles: number): Box {
  const angle = (miles / EARTH_MILES) * MARGIN
  // From 1 up a pole is within reach, and with it every longitude.
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

/** The smallest box that holds all the points; there has to be one. */
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
 * Whether the point lies in the polygon, by counting the edges to the east of it. Edges are straight in
 * latitude and longitude, as they are on the map that the polygon was drawn on; none may cross the 180th
 * meridian. The last point is joined to the first.
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

function crosses({ latitude, longitude }: Point, from: Point, to: Point): boolean {
  if (from.latitude > latitude === to.latitude > latitude) return false
  const share = (latitude - from.latitude) / (to.latitude - from.latitude)
  return longitude < from.longitude + share * (to.longitude - from.longitude)
}
