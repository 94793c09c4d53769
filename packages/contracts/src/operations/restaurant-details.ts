import { KeyInPath, Whereabouts } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'

/** Existing clients read either the members or `restaurant`. */
const Details = Restaurant.extend({
  restaurant: Restaurant.describe('The same record again, for clients that read it here.'),
}).meta({ id: 'RestaurantDetails' })

/** docs/specification.md, "Endpoints". With a place, `deliveryMin` and `deliveryPrice` are those of the zone that holds it; a place that is not found is none. */
export const RestaurantDetails = operation({
  name: 'restaurant-details',
  summary: 'Read a restaurant',
  method: 'GET',
  path: '/publicapi/v1/restaurant/:apiKey',
  owner: 'catalog',
  admission: 'read',
  params: KeyInPath,
  query: Whereabouts,
  response: Details,
  shared: true,
  problems: ['restaurant-not-found'],
})
