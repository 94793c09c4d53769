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
const cityKey = (city: string): string =>
  plainCapitals(city)
    .replace(/[A-Z0-9]+/g, (word) => SHORT_FORMS[word] ?? word)
    .replace(/[^A-Z0-9]+/g, '')

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
function readCodes(): Readonly<Record<string, Code>> {
  const file = createRequire(import.meta.url).resolve('zipcodes/lib/codes.js')
  const [line = ''] = readFileSync(file, 'utf8').split('\n', 1)
  return JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)) as Record<string, Code>
}

/** Every index costs time and memory at each start. Few cities share a name, so a lookup separates them by their states. */
export function readZipCodes(): ZipCodes {
  const byZip = readCodes()
  const all = Object.values(byZip).filter(isInUnitedStates)
  // Per spelling and not per code, because there are half as many.
  const keys = new Map(Array.from(new Set(all.map(({ city }) => city)), (city) => [city, cityKey(city)]))
  const byName = Map.groupBy(all, ({ city }) => keys.get(city))
  const areas = [...byName.values()].flatMap((codes) => citiesOf(codes).flatMap(withAreas))
  const byCell = Map.groupBy(areas, (code) => cellOf(code, 0, 0))
  /** By the first ZIP code of a city. */
  const centres = new Map<string, ZipCode | undefined>()
  const states = new Set(all.map(({ state }) => state))
  const stateOf = (name: string) => (states.has(name) ? name : STATES[directionsInFull(name)])
  function centreOf(codes: ZipCode[]): ZipCode | undefined {
    const [first] = codes
    if (!first) return undefined
    const centre = centres.get(first.zip) ?? mostCentral(withAreas(codes))
    centres.set(first.zip, centre)
    return centre
  }
  const cityIn = (city: string, name: string): ZipCode[] => {
    const state = stateOf(name)
    return (byName.get(cityKey(city)) ?? []).filter((code) => code.state === state)
  }
  return {
    byZip(zip) {
      const code = Object.hasOwn(byZip, zip) ? byZip[zip] : undefined
      return code && isInUnitedStates(code) ? code : undefined
    },
    byCity: (city, state) => centreOf(cityIn(city, state)),
    byName(city) {
      const [largest = [], next = []] = citiesOf(byName.get(cityKey(city)) ?? []).toSorted(
        (one, other) => other.length - one.length,
      )
      const code = centreOf(largest)
      return code && { code, isClear: next.length === 0 || largest.length >= CLEARLY_LARGER * next.length }
    },
    onlyOneOf(city, state) {
      const [only, ...others] = withAreas(cityIn(city, state))
      return others.length === 0 ? only?.zip : undefined
    },
    nearest: (point) => nearest(byCell, point),
    stateOf,
  }
}

/** Separates the codes of cities with one name by their states. */
const citiesOf = (codes: ZipCode[]): ZipCode[][] =>
  codes.length === 1 ? [codes] : [...Map.groupBy(codes, ({ state }) => state).values()]

/** Returns a position as one number. The data has at most four decimals. */
const position = ({ latitude, longitude }: Point) =>
  Math.round(latitude * 10_000) * 100_000_000 + Math.round(longitude * 10_000)

/** Excludes post-office boxes and single buildings, which all have the position of their city's centre. */
function withAreas(codes: ZipCode[]): ZipCode[] {
  if (codes.length === 1) return codes
  /** Null: several codes have the position. */
  const byPosition = new Map<number, ZipCode | null>()
  for (const code of codes) {
    const at = position(code)
    byPosition.set(at, byPosition.has(at) ? null : code)
  }
  const areas = [...byPosition.values()].filter((code) => code !== null)
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

function nearest(byCell: ReadonlyMap<number, ZipCode[]>, point: Point): ZipCode | undefined {
  const steps = [-1, 0, 1]
  const around = steps.flatMap((north) =>
    [...steps, -2, 2].flatMap((east) => byCell.get(cellOf(point, north, east)) ?? []),
  )
  const found = closest(around, point)
  return found && milesBetween(found, point) <= MAX_MILES_TO_NEAREST ? found : undefined
}

const cellOf = ({ latitude, longitude }: Point, north: number, east: number): number =>
  (Math.floor(latitude / CELL) + north) * 1_000 + Math.floor(longitude / CELL) + east

function closest(codes: readonly ZipCode[], point: Point): ZipCode | undefined {
  let best: { code: ZipCode; miles: number } | undefined
  for (const code of codes) {
    const miles = milesBetween(code, point)
    if (!best || miles < best.miles) best = { code, miles }
  }
  return best?.code
}
