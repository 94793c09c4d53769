import { cents } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aZone, ajanta } from '#/testing/ajanta.ts'
import { boxAround, boxOf, isInside, milesBetween } from '#/domain/geo.ts'
import { zipAtEnd, zipOf } from '#/domain/place.ts'
import { boundsOf, deliveryTerms } from '#/domain/zones.ts'

const DEGREE_MILES = (3958.7613 * Math.PI) / 180
const north = (miles: number) => ({
  latitude: ajanta.latitude + miles / DEGREE_MILES,
  longitude: ajanta.longitude,
})
const somewhere = { latitude: 10, longitude: 10 }
const square = (size: number) =>
  [
    [-size, -size],
    [-size, size],
    [size, size],
    [size, -size],
  ].map(([latitude = 0, longitude = 0]) => ({ latitude, longitude }))

const termsOf = (zones: ReturnType<typeof aZone>[], point = somewhere, zip = '') =>
  deliveryTerms({ ...ajanta, zones }, { point, zip })

describe('a radius', () => {
  test('contains a point at 1.9999 of 2 miles and not one at 2.0001 miles', () => {
    const zone = aZone({ maxRadius: 2 })
    expect(termsOf([zone], north(1.9999))).toBe(zone)
    expect(termsOf([zone], north(2.0001))).toBeNull()
  })

  test('contains the restaurant itself when it is 0', () => {
    expect(termsOf([aZone({ maxRadius: 0 })], ajanta)).not.toBeNull()
  })
})

describe('a list of ZIP codes', () => {
  const zone = aZone({ zips: ['53703', '53715'] })
  test.each([
    ['53703', true],
    ['53703-1234', true],
    ['537031234', true],
    [' 53715 ', true],
    ['53703 1234', true],
    ['53703 - 1234', true],
    ['53703–1234', true],
    ['WI 53703', true],
    ['５３７０３', true],
    ['253703', false],
    ['53703 12', false],
    ['53704', false],
    ['', false],
  ])('contains the ZIP code %j: %s', (zip, expected) => {
    expect(termsOf([zone], somewhere, zip) !== null).toBe(expected)
  })
})

describe('a polygon', () => {
  const zone = aZone({ points: square(10), holePoints: square(2) })
  test('contains a point inside, and no point in its hole or outside', () => {
    expect(termsOf([zone], { latitude: 5, longitude: 5 })).toBe(zone)
    expect(termsOf([zone], { latitude: 1, longitude: -1 })).toBeNull()
    expect(termsOf([zone], { latitude: 11, longitude: 0 })).toBeNull()
  })

  test('may have the shape of a U, and excludes the area between its arms', () => {
    const u = [
      [0, 0],
      [0, 9],
      [9, 9],
      [9, 6],
      [3, 6],
      [3, 3],
      [9, 3],
      [9, 0],
    ].map(([latitude = 0, longitude = 0]) => ({ latitude, longitude }))
    expect([1.5, 4.5, 7.5].map((longitude) => isInside({ latitude: 6, longitude }, u))).toEqual([
      true,
      false,
      true,
    ])
  })

  test('shares a border with its neighbour so that a point on it is in exactly one of both', () => {
    const degrees = fc.integer({ min: -1_000, max: 1_000 }).map((tenths) => tenths / 10)
    const corner = fc.record({ latitude: degrees, longitude: degrees })
    fc.assert(
      fc.property(corner, corner, fc.nat(10), (from, to, tenths) => {
        fc.pre(from.latitude !== to.latitude)
        const at = (start: number, end: number) => start + (tenths / 10) * (end - start)
        const point = {
          latitude: at(from.latitude, to.latitude),
          longitude: at(from.longitude, to.longitude),
        }
        const upward = from.latitude < to.latitude ? [from, to] : [to, from]
        const border = [{ latitude: -1_000, longitude: 0 }, ...upward, { latitude: 1_000, longitude: 0 }]
        const west = [...border, { latitude: 0, longitude: -9_000 }]
        const east = [...border.toReversed(), { latitude: 0, longitude: 9_000 }]
        expect(isInside(point, west)).toBe(!isInside(point, east))
      }),
      { numRuns: 1_000 },
    )
  })

  test('contains no point when it has no vertices', () => {
    expect(isInside(somewhere, [])).toBe(false)
  })
})

test('a hole is cut out of a radius too', () => {
  const around = square(0.01).map(({ latitude, longitude }) => ({
    latitude: latitude + ajanta.latitude,
    longitude: longitude + ajanta.longitude,
  }))
  const zone = aZone({ maxRadius: 5, holePoints: around })
  expect(termsOf([zone], north(0.3))).toBeNull()
  expect(termsOf([zone], north(3))).toBe(zone)
})

test('the first of several zones that contain the place applies', () => {
  const near = aZone({ apiKey: 'near', maxRadius: 2 })
  const far = aZone({ apiKey: 'far', maxRadius: 5, deliveryPrice: cents(499) })
  const listed = aZone({ apiKey: 'listed', zips: ['53703'] })
  expect(termsOf([near, far, listed], north(1), '53703')).toBe(near)
  expect(termsOf([near, far, listed], north(4), '53703')).toBe(far)
  expect(termsOf([near, far, listed], north(9), '53703')).toBe(listed)
  expect(termsOf([listed, near, far], north(1), '53703')).toBe(listed)
})

describe('a restaurant without zones', () => {
  test('delivers within five miles for its own minimum and price', () => {
    expect(termsOf([], north(4.999))).toMatchObject({ deliveryMin: 1500, deliveryPrice: 299 })
    expect(termsOf([], north(5.001))).toBeNull()
  })

  test('does not deliver without offersDelivery, and neither does a restaurant with zones', () => {
    const place = { point: north(1), zip: '53703' }
    expect(deliveryTerms({ ...ajanta, offersDelivery: false }, place)).toBeNull()
    expect(
      deliveryTerms({ ...ajanta, offersDelivery: false, zones: [aZone({ maxRadius: 9 })] }, place),
    ).toBeNull()
  })
})

test('milesBetween agrees with known distances, also across 180° of longitude', () => {
  const newYork = { latitude: 40.7128, longitude: -74.006 }
  const losAngeles = { latitude: 34.0522, longitude: -118.2437 }
  expect(milesBetween(newYork, losAngeles)).toBeCloseTo(2445.6, 0)
  expect(milesBetween({ latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 })).toBeCloseTo(
    13.8,
    1,
  )
})

/** Multiples of a millionth of a degree, a tenth of a metre. Rounding errors would hide finer steps. */
const degrees = (most: number) =>
  fc.integer({ min: -most * 1_000_000, max: most * 1_000_000 }).map((millionths) => millionths / 1_000_000)
const aPoint = fc.record({ latitude: degrees(90), longitude: degrees(180) })

test('a box that reaches a pole contains all longitudes', () => {
  for (const latitude of [89.99, -89.99])
    expect(boxAround({ latitude, longitude: 10 }, 5)).toMatchObject({ west: -180, east: 180 })
})

test('a box around a point contains every point within the distance, also at 180°', () => {
  const miles = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
  fc.assert(
    fc.property(aPoint, degrees(2), degrees(2), miles, (centre, up, right, reach) => {
      const other = {
        latitude: Math.max(-90, Math.min(90, centre.latitude + up)),
        longitude: ((centre.longitude + right + 540) % 360) - 180,
      }
      fc.pre(milesBetween(centre, other) <= reach)
      const box = boxAround(centre, reach)
      expect(other.latitude).toBeGreaterThanOrEqual(box.south)
      expect(other.latitude).toBeLessThanOrEqual(box.north)
      expect(other.longitude).toBeGreaterThanOrEqual(box.west)
      expect(other.longitude).toBeLessThanOrEqual(box.east)
    }),
    { numRuns: 2_000 },
  )
})

test('the bounds that SQL preselects by contain every point of the zone', () => {
  fc.assert(
    fc.property(fc.array(aPoint, { minLength: 3, maxLength: 8 }), aPoint, (points, point) => {
      fc.pre(isInside(point, points))
      const { south, north: top, west, east } = boxOf(points)
      expect(point.latitude >= south && point.latitude <= top).toBe(true)
      expect(point.longitude >= west && point.longitude <= east).toBe(true)
    }),
  )
  expect(boundsOf(aZone({ zips: ['53703'] }), ajanta)).toBeNull()
  expect(boundsOf(aZone({ maxRadius: 3 }), ajanta)).toEqual(boxAround(ajanta, 3))
})

test('a ZIP code is reduced to five digits, and is found at the end of an address', () => {
  expect(['53703', '53703-1234', ' 53703', 'SW1A 1AA'].map(zipOf)).toEqual([
    '53703',
    '53703',
    '53703',
    'SW1A 1AA',
  ])
  expect(
    ['1 Main St, Madison, WI 53703', '53703-1234', '1 A St, WI 53703, USA', '12345 Main St', ''].map(
      zipAtEnd,
    ),
  ).toEqual(['53703', '53703', '53703', '', ''])
})
