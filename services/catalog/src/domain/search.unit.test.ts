import { describe, expect, test } from 'vitest'
import { aZone, ajanta } from '#/domain/fixtures.ts'
import type { Place } from '#/domain/place.ts'
import { folded, pageOf, ranked, type Candidate, type Criteria } from '#/domain/search.ts'

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
  ...over,
})

const keysOf = (restaurants: readonly { apiKey: string }[]) => restaurants.map(({ apiKey }) => apiKey)
const rankedKeys = (candidates: readonly Candidate[], over: Partial<Criteria>) =>
  keysOf(ranked(candidates, criteria(over)))

describe('order', () => {
  test('around a place: open restaurants first, then by distance', () => {
    const candidates = [
      at(3, { apiKey: 'far' }),
      at(0.1, { apiKey: 'closed', hours: closed }),
      at(1, { apiKey: 'near' }),
      at(2, { apiKey: 'closed-too', hours: closed }),
    ]
    expect(rankedKeys(candidates, {})).toEqual(['near', 'far', 'closed', 'closed-too'])
  })

  test('without a place: open restaurants first, then by name without case and accents', () => {
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

describe('method', () => {
  const candidates = [
    at(1, { apiKey: 'pickup-only', offersDelivery: false }),
    at(2, { apiKey: 'delivery-only', offersPickup: false }),
    at(8, { apiKey: 'delivers-far', zones: [aZone({ maxRadius: 10 })] }),
    at(3, { apiKey: 'delivers-elsewhere', zones: [aZone({ zips: ['90210'] })] }),
    at(9, { apiKey: 'too-far' }),
  ]

  test('pickup: restaurants that offer it within the radius', () => {
    expect(rankedKeys(candidates, { method: 'pickup' })).toEqual(['pickup-only', 'delivers-elsewhere'])
    expect(rankedKeys(candidates, { method: 'pickup', pickupRadiusMiles: 2 })).toEqual(['pickup-only'])
  })

  test('delivery: restaurants with a zone that contains the place, at any distance', () => {
    expect(rankedKeys(candidates, { method: 'delivery', pickupRadiusMiles: 0 })).toEqual([
      'delivery-only',
      'delivers-far',
    ])
  })

  test('both: restaurants that one of the two finds', () => {
    expect(rankedKeys(candidates, {})).toEqual([
      'pickup-only',
      'delivery-only',
      'delivers-elsewhere',
      'delivers-far',
    ])
  })

  test('without a place: restaurants that offer the method', () => {
    expect(rankedKeys(candidates, { place: null, method: 'delivery' })).not.toContain('pickup-only')
    expect(rankedKeys(candidates, { place: null, method: 'pickup' })).not.toContain('delivery-only')
    expect(rankedKeys(candidates, { place: null })).toHaveLength(5)
  })
})

test('words are compared without case and accents', () => {
  expect(folded('Café CRÈME Ünter')).toBe('cafe creme unter')
})

const restaurants = (...apiKeys: string[]) => apiKeys.map((apiKey) => ({ apiKey }))
/** The apiKeys of all pages, in order. */
const follow = (all: readonly { apiKey: string }[], limit: number) => {
  const seen: string[][] = []
  let after = null
  do {
    const { page, next }: ReturnType<typeof pageOf> = pageOf(all, { after, limit, at: NOON })
    seen.push(keysOf(page))
    after = next
  } while (after)
  return seen
}

describe('pages', () => {
  const all = restaurants('a', 'b', 'c', 'd', 'e')

  test('contain each restaurant once, and the last page has no next', () => {
    expect(follow(all, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(follow(all, 5)).toEqual([['a', 'b', 'c', 'd', 'e']])
    expect(follow([], 5)).toEqual([[]])
  })

  test('continue after the last restaurant, also when others were added before it', () => {
    const { next } = pageOf(all, { after: null, limit: 2, at: NOON })
    const { page } = pageOf([...restaurants('x', 'y'), ...all], { after: next, limit: 2, at: NOON })
    expect(keysOf(page)).toEqual(['c', 'd'])
  })

  test('continue at the same index when the last restaurant was removed', () => {
    const { next } = pageOf(all, { after: null, limit: 2, at: NOON })
    const { page } = pageOf(restaurants('a', 'c', 'd', 'e'), { after: next, limit: 2, at: NOON })
    expect(keysOf(page)).toEqual(['d', 'e'])
  })
})
