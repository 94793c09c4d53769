import { milesBetween } from '#/domain/geo.ts'
import { takesOrders } from '#/domain/hours.ts'
import type { Menu } from '#/domain/menu.ts'
import type { Place } from '#/domain/place.ts'
import type { Restaurant } from '#/domain/restaurant.ts'
import { deliveryTerms, type Deliverer } from '#/domain/zones.ts'

type SearchMethod = 'pickup' | 'delivery' | 'both'
export type Candidate = Deliverer &
  Pick<Restaurant, 'apiKey' | 'name' | 'hours' | 'timezone' | 'offersPickup' | 'pausedUntil' | 'isAttended'>

export type Criteria = {
  /** Null: no place; all restaurants match. */
  place: Place | null
  method: SearchMethod
  pickupRadiusMiles: number
  /** The time (epoch, ms) that decides which restaurants are open. */
  at: number
  /** The end of the previous page; null for the first page. */
  after: Cursor | null
}

/**
 * Normalizes a text for comparison: removes case, accents and apostrophes, so that "CAFE" finds "Café", and "john’s", as a phone
 * writes it, finds "John's". Applied to stored texts and search words.
 */
export const folded = (text: string): string =>
  text
    .replace(/['’‘ʼ`´]/g, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()

/** Returns the searchable text of a restaurant, without its menu. */
export const restaurantText = ({ name, foodTypes }: Restaurant): string =>
  folded([name, ...foodTypes].join('\n'))

/** Returns the searchable text of a menu: the names of its items. */
export const menuText = (menu: Menu): string =>
  folded(menu.flatMap(({ items }) => items.map(({ name }) => name)).join('\n'))

/** Returns the candidates that serve the place: open restaurants first, then by distance; without a place, by name. */
export function ranked<C extends Candidate>(candidates: readonly C[], criteria: Criteria): C[] {
  const serving = candidates.filter((candidate) => serves(candidate, criteria))
  const { open = [], closed = [] } = Object.groupBy(nearestFirst(serving, criteria.place), (candidate) =>
    countsAsOpen(candidate, criteria) ? 'open' : 'closed',
  )
  return [...open, ...closed]
}

/** The last restaurant of the previous page keeps its rank, although it may have paused since. The next page begins after it. */
const countsAsOpen = (candidate: Candidate, { at, after }: Pick<Criteria, 'at' | 'after'>): boolean =>
  candidate.apiKey === after?.[2] ? after[3] : takesOrders(candidate, at)

/** Sorts all candidates by distance; without a place, by name. */
export const nearestFirst = <C extends Candidate>(candidates: readonly C[], place: Place | null): C[] =>
  candidates
    .map((candidate) => ({
      candidate,
      miles: milesTo(candidate, place),
      name: place ? '' : folded(candidate.name),
    }))
    .toSorted(
      (one, other) =>
        one.miles - other.miles ||
        order(one.name, other.name) ||
        order(one.candidate.apiKey, other.candidate.apiKey),
    )
    .map(({ candidate }) => candidate)

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const milesTo = (candidate: Candidate, place: Place | null): number =>
  place ? milesBetween(candidate, place.point) : 0

function serves(candidate: Candidate, { place, method, pickupRadiusMiles }: Criteria): boolean {
  const pickup = candidate.offersPickup && milesTo(candidate, place) <= pickupRadiusMiles
  if (method === 'pickup') return pickup
  const delivery = place ? deliveryTerms(candidate, place) !== null : candidate.offersDelivery
  return method === 'delivery' ? delivery : pickup || delivery
}

// Pages ----------------------------------------------------------------------------------------------------

/**
 * The end of a page: the time of the first page (epoch, ms), and of the last restaurant its index, its apiKey and whether it took
 * orders. All pages use the same time for open restaurants, so that one that opens between two pages is neither repeated nor
 * skipped.
 */
export type Cursor = [at: number, index: number, apiKey: string, isOpen: boolean]

/** Returns the next ranked restaurants after a page, at most `limit`, with their positions. `after` is null for the first page. */
export function nextRestaurants<R extends Candidate>(
  restaurants: readonly R[],
  { after, limit, at }: { after: Cursor | null; limit: number; at: number },
): { restaurant: R; position: Cursor }[] {
  const start = after ? indexAfter(restaurants, after) : 0
  return restaurants.slice(start, start + limit).map((restaurant, index) => ({
    restaurant,
    position: [at, start + index, restaurant.apiKey, takesOrders(restaurant, at)],
  }))
}

/** Searches by apiKey, because restaurants may have been added before it. If it was removed, its index is that of the next one. */
function indexAfter(restaurants: readonly { apiKey: string }[], [, index, last]: Cursor): number {
  const found = restaurants.findIndex(({ apiKey }) => apiKey === last)
  return found >= 0 ? found + 1 : index
}
