import { milesBetween } from '#/domain/geo.ts'
import { takesOrders } from '#/domain/hours.ts'
import type { Place } from '#/domain/place.ts'
import type { KeptRestaurant } from '#/domain/restaurant.ts'
import { deliveryTerms, type Deliverer } from '#/domain/zones.ts'

export type SearchMethod = 'pickup' | 'delivery' | 'both'
export type Candidate = Deliverer &
  Pick<KeptRestaurant, 'apiKey' | 'name' | 'hours' | 'timezone' | 'offersPickup' | 'pausedUntil'>

export type Wanted = {
  /** null: everywhere. */
  place: Place | null
  method: SearchMethod
  pickupRadiusMiles: number
  /** The moment for which "open" is meant (epoch, ms). */
  at: number
}

/**
 * Text as it is compared in a search: without case and without accents, so that "CAFE" finds "Café".
 * Both sides go through it: what is kept for searching, and the words that are searched for.
 */
export const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Those that serve the customer, in order: open ones first, then the nearest; without a place by name. */
export function ranked<C extends Candidate>(candidates: readonly C[], wanted: Wanted): C[] {
  return candidates
    .flatMap((candidate) => {
      const miles = wanted.place ? milesBetween(candidate, wanted.place.point) : 0
      if (!serves(candidate, miles, wanted)) return []
      const open = takesOrders(candidate, wanted.at)
      return [{ candidate, open, miles, name: wanted.place ? '' : folded(candidate.name) }]
    })
    .toSorted(
      (one, other) =>
        Number(other.open) - Number(one.open) ||
        one.miles - other.miles ||
        order(one.name, other.name) ||
        order(one.candidate.apiKey, other.candidate.apiKey),
    )
    .map(({ candidate }) => candidate)
}

/** All of them, the nearest first; without a place by name. */
export const nearestFirst = <C extends Candidate>(candidates: readonly C[], place: Place | null): C[] =>
  candidates
    .map((candidate) => ({
      candidate,
      miles: place ? milesBetween(candidate, place.point) : 0,
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

function serves(candidate: Candidate, miles: number, { place, method, pickupRadiusMiles }: Wanted): boolean {
  const pickup = candidate.offersPickup && (!place || miles <= pickupRadiusMiles)
  if (method === 'pickup') return pickup
  const delivery = place ? deliveryTerms(candidate, place) !== null : candidate.offersDelivery
  return method === 'delivery' ? delivery : pickup || delivery
}

// Pages ----------------------------------------------------------------------------------------------------

/**
 * Where the last page ended. All pages of a search are ordered by who was open when it began (`at`, epoch
 * in ms), so that a restaurant that opens meanwhile is neither repeated nor left out.
 */
export type Cursor = { at: number; index: number; apiKey: string }

export const writeCursor = ({ at, index, apiKey }: Cursor): string =>
  Buffer.from(JSON.stringify([at, index, apiKey])).toString('base64url')

/** null for a text that is no cursor of ours. */
export function readCursor(text: string): Cursor | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(value)) return null
    const [at, index, apiKey] = value as unknown[]
    if (!isCount(at) || !isCount(index) || typeof apiKey !== 'string') return null
    return { at, index, apiKey }
  } catch {
    // Not JSON: made up, or cut off on the way.
    return null
  }
}

/** 8.64e15 ms is the last moment that a Date can hold. */
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 8.64e15

/** One page of the ranked restaurants, and the cursor for the next one when there is more. */
export function pageOf<R extends { apiKey: string }>(
  restaurants: readonly R[],
  { after, limit, at }: { after: Cursor | null; limit: number; at: number },
): { page: R[]; next: Cursor | null } {
  // By the key, which is right also when another one came in before it; by the number when the key has gone.
  const found = after ? restaurants.findIndex(({ apiKey }) => apiKey === after.apiKey) : -1
  const start = after ? (found >= 0 ? found : after.index) + 1 : 0
  const page = restaurants.slice(start, start + limit)
  const last = page.at(-1)
  const more = last !== undefined && start + page.length < restaurants.length
  return { page, next: more ? { at, index: start + page.length - 1, apiKey: last.apiKey } : null }
}

/** The same request from there on. An access key that came in the query does not go out with it. */
export function nextPage(url: string, next: Cursor): string {
  const [path = ''] = url.split('?', 1)
  const parameters = new URLSearchParams(url.slice(path.length))
  parameters.delete('access-token')
  parameters.set('cursor', writeCursor(next))
  return `${path}?${parameters.toString()}`
}
