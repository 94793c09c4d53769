import { describe, expect, test } from 'vitest'
import { UNTIL_RESUMED } from '#/domain/hours.ts'
import { aZone, ajanta } from '#/testing/ajanta.ts'
import type { Place } from '#/domain/place.ts'
import {
  folded,
  nextRestaurants,
  ranked,
  type Candidate,
  type Criteria,
  type Cursor,
} from '#/domain/search.ts'

// A Friday, 12:00 in Madison.
const NOON = Date.parse('2026-11-20T18:00Z')
const closed = { Friday: ['5:00 PM - 9:00 PM'] }
const DEGREE_MILES = 69.1

const at = (miles: number, over: Partial<Candidate>): Candidate => ({
  ...ajanta,
  latitude: ajanta.latitude + miles / DEGREE_MILES,
  ...over,
})
const home: Place = {
  point: { latitude: ajanta.latitude, longitude: ajanta.longitude },
  streetAddress: '',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
}
const criteria = (over: Partial<Criteria>): Criteria => ({
  place: home,
  method: 'both',
  pickupRadiusMiles: 5,
  at: NOON,
  after: null,
  ...over,
})

const keysOf = (restaurants: readonly { apiKey: string }[]) => restaurants.map(({ apiKey }) => apiKey)
const rankedKeys = (candidates: readonly Candidate[], over: Partial<Criteria>) =>
  keysOf(ranked(candidates, criteria(over)))

describe('rank', () => {
  test('around a place, open restaurants come first, then nearer ones', () => {
    const candidates = [
      at(3, { apiKey: 'far' }),
      at(0.1, { apiKey: 'closed', hours: closed }),
      at(1, { apiKey: 'near' }),
      at(2, { apiKey: 'closed-too', hours: closed }),
    ]
    expect(rankedKeys(candidates, {})).toEqual(['near', 'far', 'closed', 'closed-too'])
  })

  test('without a place, open restaurants come first, then names without case and accents decide', () => {
    const candidates = [
      at(900, { apiKey: 'z', name: 'zebra' }),
      at(900, { apiKey: 'c', name: 'Alpha', hours: closed }),
      at(900, { apiKey: 'e', name: 'Élan' }),
      at(900, { apiKey: 'f', name: 'fox' }),
    ]
    expect(rankedKeys(candidates, { place: null })).toEqual(['e', 'f', 'z', 'c'])
  })

  test('does not depend on the order of the candidates', () => {
    const candidates = ['c', 'a', 'b'].map((apiKey) => at(1, { apiKey }))
    expect(rankedKeys(candidates, {})).toEqual(['a', 'b', 'c'])
    expect(rankedKeys(candidates.toReversed(), { place: null })).toEqual(['a', 'b', 'c'])
  })
})

describe('search by method', () => {
  const candidates = [
    at(1, { apiKey: 'pickup-only', offersDelivery: false }),
    at(2, { apiKey: 'delivery-only', offersPickup: false }),
    at(8, { apiKey: 'delivers-far', zones: [aZone({ maxRadius: 10 })] }),
    at(3, { apiKey: 'delivers-elsewhere', zones: [aZone({ zips: ['90210'] })] }),
    at(9, { apiKey: 'too-far' }),
  ]

  test('pickup finds restaurants that offer it within the radius', () => {
    expect(rankedKeys(candidates, { method: 'pickup' })).toEqual(['pickup-only', 'delivers-elsewhere'])
    expect(rankedKeys(candidates, { method: 'pickup', pickupRadiusMiles: 2 })).toEqual(['pickup-only'])
  })

  test('delivery finds restaurants with a zone that contains the place, at any distance', () => {
    expect(rankedKeys(candidates, { method: 'delivery', pickupRadiusMiles: 0 })).toEqual([
      'delivery-only',
      'delivers-far',
    ])
  })

  test('method both finds the restaurants that pickup or delivery finds', () => {
    expect(rankedKeys(candidates, {})).toEqual([
      'pickup-only',
      'delivery-only',
      'delivers-elsewhere',
      'delivers-far',
    ])
  })

  test('without a place, a method finds all restaurants that offer it', () => {
    expect(rankedKeys(candidates, { place: null, method: 'delivery' })).not.toContain('pickup-only')
    expect(rankedKeys(candidates, { place: null, method: 'pickup' })).not.toContain('delivery-only')
    expect(rankedKeys(candidates, { place: null })).toHaveLength(5)
  })
})

test('folded returns words in lower case without accents and apostrophes', () => {
  expect(folded('Café CRÈME Ünter')).toBe('cafe creme unter')
  expect(["Papa John's", 'Papa John’s', 'papa john´s', 'PAPA JOHNS'].map(folded)).toEqual(
    Array(4).fill('papa johns'),
  )
})

const restaurants = (...apiKeys: string[]) => apiKeys.map((apiKey, index) => at(index, { apiKey }))
const page = (after: Cursor | null, all: readonly Candidate[], limit = 2) =>
  nextRestaurants(ranked(all, criteria({ after })), { after, limit, at: NOON })
const keysAfter = (after: Cursor | null, all: readonly Candidate[], limit = 2) =>
  keysOf(page(after, all, limit).map(({ restaurant }) => restaurant))

describe('pages', () => {
  const all = restaurants('a', 'b', 'c', 'd', 'e')
  const second = page(null, all)[1]?.position ?? null

  test('begin with the first restaurant, and continue from the position of the last one', () => {
    expect(keysAfter(null, all)).toEqual(['a', 'b'])
    expect(second).toEqual([NOON, 1, 'b', true])
    expect(keysAfter(second, all, 9)).toEqual(['c', 'd', 'e'])
    expect(page(second, all, 1)[0]?.position).toEqual([NOON, 2, 'c', true])
  })

  test('continue after the last restaurant of the previous page, also with others added before it', () => {
    expect(keysAfter(second, [at(0, { apiKey: 'x' }), at(0, { apiKey: 'y' }), ...all])).toEqual(['c', 'd'])
  })

  test('skip no restaurant when the last one of the previous page was removed', () => {
    expect(keysAfter(second, all.toSpliced(1, 1))).toEqual(['c', 'd'])
  })

  test.each<[string, Partial<Candidate>]>([
    ['paused', { pausedUntil: UNTIL_RESUMED }],
    ['lost its connection', { isAttended: false }],
  ])('skip and repeat no restaurant when the last one of the previous page has %s', (_, change) => {
    const changed = all.with(1, at(1, { apiKey: 'b', ...change }))
    expect(keysAfter(second, changed, 9)).toEqual(['c', 'd', 'e'])
  })

  test('skip and repeat no restaurant when the last one of the previous page takes orders again', () => {
    const paused = all.map((one) => ({ ...one, isAttended: one.apiKey > 'b' }))
    const last = page(null, paused, 4)[3]?.position ?? null
    expect(last).toEqual([NOON, 3, 'a', false])
    expect(keysAfter(last, paused.with(0, all[0]!))).toEqual(['b'])
  })
})
