import { describe, expect, test } from 'vitest'
import { aZone, ajanta } from '#/domain/cast.ts'
import type { Place } from '#/domain/place.ts'
import {
  folded,
  nextPage,
  pageOf,
  ranked,
  readCursor,
  writeCursor,
  type Candidate,
  type Wanted,
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
const wanted = (over: Partial<Wanted>): Wanted => ({
  place: home,
  method: 'both',
  pickupRadiusMiles: 5,
  at: NOON,
  ...over,
})

const keysOf = (restaurants: readonly { apiKey: string }[]) => restaurants.map(({ apiKey }) => apiKey)
const rankedKeys = (candidates: readonly Candidate[], over: Partial<Wanted>) =>
  keysOf(ranked(candidates, wanted(over)))

describe('order', () => {
  test('around a place: the open ones first, then the nearest', () => {
    const candidates = [
      at(3, { apiKey: 'far' }),
      at(0.1, { apiKey: 'closed', hours: closed }),
      at(1, { apiKey: 'near' }),
      at(2, { apiKey: 'closed-too', hours: closed }),
    ]
    expect(rankedKeys(candidates, {})).toEqual(['near', 'far', 'closed', 'closed-too'])
  })

  test('without a place: all of them, the open ones first, then by name whatever its case and accents', () => {
    const candidates = [
      at(900, { apiKey: 'z', name: 'zebra' }),
      at(900, { apiKey: 'c', name: 'Alpha', hours: closed }),
      at(900, { apiKey: 'e', name: 'Élan' }),
      at(900, { apiKey: 'f', name: 'fox' }),
    ]
    expect(rankedKeys(candidates, { place: null })).toEqual(['e', 'f', 'z', 'c'])
  })

  test('is the same however the candidates come in', () => {
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

  test('pickup: those that offer it within the radius', () => {
    expect(rankedKeys(candidates, { method: 'pickup' })).toEqual(['pickup-only', 'delivers-elsewhere'])
    expect(rankedKeys(candidates, { method: 'pickup', pickupRadiusMiles: 2 })).toEqual(['pickup-only'])
  })

  test('delivery: those with a zone that holds the place, however far the restaurant is', () => {
    expect(rankedKeys(candidates, { method: 'delivery', pickupRadiusMiles: 0 })).toEqual([
      'delivery-only',
      'delivers-far',
    ])
  })

  test('both: either way', () => {
    expect(rankedKeys(candidates, {})).toEqual([
      'pickup-only',
      'delivery-only',
      'delivers-elsewhere',
      'delivers-far',
    ])
  })

  test('without a place: those that offer it', () => {
    expect(rankedKeys(candidates, { place: null, method: 'delivery' })).not.toContain('pickup-only')
    expect(rankedKeys(candidates, { place: null, method: 'pickup' })).not.toContain('delivery-only')
    expect(rankedKeys(candidates, { place: null })).toHaveLength(5)
  })
})

test('words are compared without case and accents', () => {
  expect(folded('Café CRÈME Ünter')).toBe('cafe creme unter')
})

const restaurants = (...apiKeys: string[]) => apiKeys.map((apiKey) => ({ apiKey }))
/** The keys of every page, one after the other. */
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

  test('hold everything once, and the last one has no next', () => {
    expect(follow(all, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(follow(all, 5)).toEqual([['a', 'b', 'c', 'd', 'e']])
    expect(follow([], 5)).toEqual([[]])
  })

  test('go on after the last one that was seen, also when others came in before it', () => {
    const { next } = pageOf(all, { after: null, limit: 2, at: NOON })
    const { page } = pageOf([...restaurants('x', 'y'), ...all], { after: next, limit: 2, at: NOON })
    expect(keysOf(page)).toEqual(['c', 'd'])
  })

  test('go on at the same number when the last one that was seen has gone', () => {
    const { next } = pageOf(all, { after: null, limit: 2, at: NOON })
    const { page } = pageOf(restaurants('a', 'c', 'd', 'e'), { after: next, limit: 2, at: NOON })
    expect(keysOf(page)).toEqual(['d', 'e'])
  })

  test('are linked by the same request with another cursor, and never with an access key', () => {
    const next = { at: NOON, index: 1, apiKey: 'b' }
    const url = '/publicapi/v1/restaurant/search?search=a%3Fb&cursor=old&limit=2&access-token=secret'
    expect(nextPage(url, next)).toBe(
      `/publicapi/v1/restaurant/search?search=a%3Fb&cursor=${writeCursor(next)}&limit=2`,
    )
    expect(nextPage('/search', next)).toBe(`/search?cursor=${writeCursor(next)}`)
  })

  test('a cursor comes back as it was, and fits the 200 characters of its field', () => {
    const cursor = { at: 8.64e15, index: 99_999, apiKey: 'k'.repeat(100) }
    expect(readCursor(writeCursor(cursor))).toEqual(cursor)
    expect(writeCursor(cursor).length).toBeLessThanOrEqual(200)
  })

  test.each([
    '',
    'zz',
    'bnVsbA',
    Buffer.from('[1,2]').toString('base64url'),
    Buffer.from('[-1,0,"a"]').toString('base64url'),
    Buffer.from('[1e300,0,"a"]').toString('base64url'),
  ])('a made-up cursor (%j) is none', (text) => {
    expect(readCursor(text)).toBeNull()
  })
})
