import type { PutRestaurant } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { takenKeys } from '#/domain/api-keys.ts'
import { locatedZones, restaurantFaults, restaurantOf } from '#/domain/restaurant-input.ts'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { RestaurantStore } from '#/store/restaurants.ts'

type Deps = { restaurants: Pick<RestaurantStore, 'put'> }

/** Responds with the details of the written restaurant. Its pause is unchanged. */
export const putRestaurant =
  ({ restaurants }: Deps): Handler<typeof PutRestaurant> =>
  async ({ params, query, body }) => {
    const faults = restaurantFaults(params.apiKey, body)
    if (faults.length > 0) throw Problem.of(faults)
    const restaurant = restaurantOf(params.apiKey, body)
    const outcome = await restaurants.put(restaurant, { validateOnly: query['validate-only'] })
    if (outcome.kind === 'taken') throw Problem.of(takenKeys(locatedZones(body), outcome.keys))
    const { requireAttendance } = outcome.restaurant
    return { ...detailsRecord(outcome.restaurant, { place: null, now: Date.now() }), requireAttendance }
  }
