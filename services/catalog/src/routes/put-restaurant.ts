import { PutRestaurant } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { restaurantFaults, restaurantFrom, takenZoneFaults } from '#/domain/restaurant-input.ts'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findRestaurant, putRestaurant as write } from '#/store/restaurants.ts'

/** Answers the restaurant as its details show it. */
export const putRestaurant = (route: Route, db: Db) =>
  route(PutRestaurant, async ({ params, query, body }) => {
    const faults = restaurantFaults(params.apiKey, body)
    if (faults.length > 0) throw Problem.of(faults)
    const restaurant = restaurantFrom(params.apiKey, body)
    const written = await write(db, restaurant, { validateOnly: query['validate-only'] })
    if (written.kind === 'taken') throw Problem.of(takenZoneFaults(body, written.keys))
    // A pause stays: it is the restaurant's own word.
    const kept = await findRestaurant(db, params.apiKey)
    return detailsRecord(kept ?? restaurant, { place: null, now: Date.now() })
  })
