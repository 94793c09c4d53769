import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Point } from '@platter/contracts'
import { full as fullStates } from 'zipcodes/lib/states.js'
import { milesBetween } from '#/domain/geo.ts'
import { folded } from '#/domain/search.ts'

/** A ZIP code of the United States and the centre of its area. */
export type ZipCode = Point & { zip: string; city: string; state: string }

/** A point farther than this from every ZIP code is outside the United States. */
const MAX_MILES_TO_NEAREST = 30
/** Degrees. At the northernmost 71° north, a degree of longitude is 22 miles. */
const CELL = 1

/** The data contains no populations. A city with 3 times as many ZIP codes is clearly larger. */
const CLEARLY_LARGER = 3

/** Military post offices outside the United States. */
const MILITARY = new Set(['AA', 'AE', 'AP'])

/**
 * The 42,555 ZIP codes of the npm package `zipcodes`, except 306 without a position. Parsed as JSON they take 25 MB; importing the
 * package as a 5 MB program takes 95 MB. A lookup takes at most 60 µs.
 */
export type ZipCodes = {
  byZip(zip: string): ZipCode | undefined
  /** The most central ZIP code of the city, in any spelling. The state is in capital letters, abbreviated or in full. */
  byCity(city: string, state: string): ZipCode | undefined
  /** The most central ZIP code of the largest city with that name. `isClear`: that city is clearly larger than the next one. */
  byName(city: string): { code: ZipCode; isClear: boolean } | undefined
  /** The ZIP code of a city that has exactly one, post-office boxes excluded. Spelling as for `byCity`. */
  onlyOneOf(city: string, state: string): string | undefined
  /** The ZIP code with the nearest centre. */
  nearest(point: Point): ZipCode | undefined
  stateOf(name: string): string | undefined
}

const DIRECTIONS: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' }
const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...DIRECTIONS,
  ST: 'SAINT',
  STE: 'SAINTE',
  FT: 'FORT',
  MT: 'MOUNT',
}

/** The package has the ZIP codes of the territories, and not their names. */
const STATES: Readonly<Record<string, string>> = {
  ...fullStates,
  'PUERTO RICO': 'PR',
  GUAM: 'GU',
  'VIRGIN ISLANDS': 'VI',
  'US VIRGIN ISLANDS': 'VI',
  'AMERICAN SAMOA': 'AS',
  'NORTHERN MARIANA ISLANDS': 'MP',
}

const directionsInFull = (state: string): string =>
  state.replace(/^[NSEW](?= )/, (short) => DIRECTIONS[short] ?? short)

/**
 * Returns a key that is equal for all spellings of a city: without accents, apostrophes, hyphens and blanks, and with abbreviations
 * in full. The data contains `O Fallon`, `Winston Salem`, `Canon City` and `Saint Louis`.
 */
function cityKey(city: string): string {
  const words = plainCapitals(city).split(/[^A-Z0-9]+/)
  return words.map((word) => SHORT_FORMS[word] ?? word).join('')
}

/** Converts to capital letters without accents, full stops and apostrophes. */
export const plainCapitals = (text: string): string => folded(text).replaceAll('.', '').toUpperCase()

/** Unknown positions are null or 0. */
type Code = Pick<ZipCode, 'zip' | 'city' | 'state'> & {
  latitude: number | null
  longitude: number | null
  country: string
}

const isInUnitedStates = (code: Code): code is Code & ZipCode =>
  code.country === 'US' && Boolean(code.latitude && code.longitude) && !MILITARY.has(code.state)

/** The first line of the package's file is `exports.codes = `, a JSON object and `;`. */
function readCodes(): Code[] {
  const file = createRequire(import.meta.url).resolve('zipcodes/lib/codes.js')
  const [line = ''] = readFileSync(file, 'utf8').split('\n', 1)
  return Object.values(
    JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)) as Record<string, Code>,
  )
}

export function readZipCodes(): ZipCodes {
  const all = readCodes().filter(isInUnitedStates)
  const byZip = new Map(all.map((code) => [code.zip, code]))
  // Per spelling and not per code, because there are half as many.
  const keys = new Map(Array.from(new Set(all.map(({ city }) => city)), (city) => [city, cityKey(city)]))
  const byCity = Map.groupBy(all, ({ city, state }) => `${state} ${keys.get(city)}`)
  const byName = Map.groupBy(byCity.keys(), (name) => name.slice(name.indexOf(' ') + 1))
  const byCell = Map.groupBy([...byCity.values()].flatMap(withAreas), (code) => cellOf(code, 0, 0))
  const centres = new Map<string, ZipCode>()
  const states = new Set(all.map(({ state }) => state))
  const stateOf = (name: string) => (states.has(name) ? name : STATES[directionsInFull(name)])
  function centreOf(name: string): ZipCode | undefined {
    const codes = byCity.get(name)
    if (!codes) return undefined
    const centre = centres.get(name) ?? mostCentral(withAreas(codes))
    if (centre) centres.set(name, centre)
    return centre
  }
  const sizeOf = (name: string) => byCity.get(name)?.length ?? 0
  return {
    byZip: (zip) => byZip.get(zip),
    byCity: (city, state) => centreOf(`${stateOf(state)} ${cityKey(city)}`),
    byName(city) {
      const [largest, next] = (byName.get(cityKey(city)) ?? []).toSorted(
        (one, other) => sizeOf(other) - sizeOf(one),
      )
      const code = largest === undefined ? undefined : centreOf(largest)
      if (largest === undefined || !code) return undefined
      return { code, isClear: next === undefined || sizeOf(largest) >= CLEARLY_LARGER * sizeOf(next) }
    },
    onlyOneOf(city, state) {
      const [only, ...others] = withAreas(byCity.get(`${stateOf(state)} ${cityKey(city)}`) ?? [])
      return others.length === 0 ? only?.zip : undefined
    },
    nearest: (point) => nearest(byCell, point),
    stateOf,
  }
}

const position = ({ latitude, longitude }: Point) => `${latitude} ${longitude}`

/** Excludes post-office boxes and single buildings, which all have the position of their city's centre. */
function withAreas(codes: ZipCode[]): ZipCode[] {
  if (codes.length === 1) return codes
  const count = new Map<string, number>()
  for (const code of codes) count.set(position(code), (count.get(position(code)) ?? 0) + 1)
  const areas = codes.filter((code) => count.get(position(code)) === 1)
  return areas.length > 0 ? areas : codes
}

/** Uses the median, because single distant or wrong positions do not move it. */
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
  return found && milesBetween(found, point) <= MAX_MILES_TO_NEAREST ? found : undefined
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
