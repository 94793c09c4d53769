import { Restaurant, RestaurantDetails } from '@platter/contracts'
import { jsonRenderer, Problem, Rendered } from '@platter/kit'
import { detailsRecord } from '#/domain/restaurant-record.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import type { Route } from '#/route.ts'
import type { Db } from '#/store/database.ts'
import { findRestaurant } from '#/store/restaurants.ts'
import { placeIfFound } from '#/whereabouts.ts'

const render = jsonRenderer(RestaurantDetails.name, Restaurant)

/** docs/specification.md, "Endpoints". */
export const restaurantDetails = (route: Route, { db, geocoder }: { db: Db; geocoder: Geocoder }) =>
  route(RestaurantDetails, async ({ params, query }) => {
    const [place, restaurant] = await Promise.all([
      placeIfFound(geocoder, query),
      findRestaurant(db, params.apiKey),
    ])
    if (!restaurant) throw new Problem('restaurant-not-found', 'There is no such restaurant.')
    // Rendered once for both places: 17 µs for a restaurant with a polygon, and 63 µs by the schema of the whole.
    const json = render(detailsRecord(restaurant, { place, now: Date.now() }))
    return new Rendered(`${json.slice(0, -1)},"restaurant":${json}}`)
  })
