import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Point } from '@platter/contracts'
import { full as fullStates } from 'zipcodes/lib/states.js'
import { milesBetween } from '#/domain/geo.ts'

/** A ZIP code of the United States and the middle of the area that it stands for. */
export type ZipCode = Point & { zip: string; city: string; state: string }

/** A point that is farther than this from every ZIP code is not in the United States. */
const NEAREST_WITHIN_MILES = 30
/** Degrees; at 71° north, the farthest, one of longitude is 22 miles. */
const CELL = 1

/** Military post offices all over the world: nobody delivers food to them. */
const MILITARY = new Set(['AA', 'AE', 'AP'])

/**
 * The ZIP codes of the npm package `zipcodes`: 42,555, of which 306 have no position. Read as JSON they take
 * 25 MB; `import` would run 5 MB of program, and take 95. A look-up takes at most 60 µs.
 */
export type ZipCodes = {
  byZip(zip: string): ZipCode | undefined
  /** The most central one of the city. City and state in capital letters, the state also in full. */
  byCity(city: string, state: string): ZipCode | undefined
  /** The one whose middle is nearest. */
  nearest(point: Point): ZipCode | undefined
  stateOf(name: string): string | undefined
}

/** A few have no position. */
type Code = Pick<ZipCode, 'zip' | 'city' | 'state'> & {
  latitude: number | null
  longitude: number | null
  country: string
}

/** The first line of the package's file is a JSON object with `exports.codes = ` before it and `;` behind it. */
function readCodes(): Code[] {
  const file = createRequire(import.meta.url).resolve('zipcodes/lib/codes.js')
  const [line = ''] = readFileSync(file, 'utf8').split('\n', 1)
  return Object.values(
    JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)) as Record<string, Code>,
  )
}

export function readZipCodes(): ZipCodes {
  const byZip = new Map<string, ZipCode>()
  for (const { zip, latitude, longitude, city, state, country } of readCodes()) {
    if (country !== 'US' || !latitude || !longitude || MILITARY.has(state)) continue
    byZip.set(zip, { zip, latitude, longitude, city, state })
  }
  const all = [...byZip.values()]
  const byCity = Map.groupBy(all, ({ city, state }) => `${state} ${city.toUpperCase()}`)
  const byCell = Map.groupBy([...byCity.values()].flatMap(withAreas), (code) => cellOf(code, 0, 0))
  const centres = new Map<string, ZipCode>()
  const states = new Set(all.map(({ state }) => state))
  const stateOf = (name: string) => (states.has(name) ? name : fullStates[name])
  return {
    byZip: (zip) => byZip.get(zip),
    byCity(city, state) {
      const name = `${stateOf(state)} ${city}`
      const codes = byCity.get(name)
      if (!codes) return undefined
      const centre = centres.get(name) ?? mostCentral(withAreas(codes))
      if (centre) centres.set(name, centre)
      return centre
    },
    nearest: (point) => nearest(byCell, point),
    stateOf,
  }
}

const position = ({ latitude, longitude }: Point) => `${latitude} ${longitude}`

/** Post-office boxes and single buildings stand at one point in the middle of their city: they are no areas. */
function withAreas(codes: ZipCode[]): ZipCode[] {
  const count = new Map<string, number>()
  for (const code of codes) count.set(position(code), (count.get(position(code)) ?? 0) + 1)
  const areas = codes.filter((code) => count.get(position(code)) === 1)
  return areas.length > 0 ? areas : codes
}

/** By the median: single codes that are far off, or wrong, do not move the middle. */
const mostCentral = (codes: readonly ZipCode[]): ZipCode | undefined =>
  closest(codes, {
    latitude: median(codes.map(({ latitude }) => latitude)),
    longitude: median(codes.map(({ longitude }) => longitude)),
  })

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

function nearest(byCell: ReadonlyMap<string, ZipCode[]>, point: Point): ZipCode | undefined {
  const steps = [-1, 0, 1]
  const around = steps.flatMap((north) =>
    [...steps, -2, 2].flatMap((east) => byCell.get(cellOf(point, north, east)) ?? []),
  )
  const found = closest(around, point)
  return found && milesBetween(found, point) <= NEAREST_WITHIN_MILES ? found : undefined
}

const cellOf = ({ latitude, longitude }: Point, north: number, east: number): string =>
  `${Math.floor(latitude / CELL) + north} ${Math.floor(longitude / CELL) + east}`

function closest(codes: readonly ZipCode[], point: Point): ZipCode | undefined {
  let best: { code: ZipCode; miles: number } | undefined
  for (const code of codes) {
    const miles = milesBetween(code, point)
    if (!best || miles < best.miles) best = { code, miles }
  }
  return best?.code
}
