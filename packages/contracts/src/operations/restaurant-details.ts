import { KeyInPath, Whereabouts } from '../inputs.ts'
import { operation } from '../operation.ts'
import { Restaurant } from '../records.ts'

/** Specification 4.5. With a place, `deliveryMin` and `deliveryPrice` are those of the zone that holds it. */
export const RestaurantDetails = operation({
  name: 'restaurant-details',
  summary: 'Read a restaurant',
  method: 'GET',
  path: '/publicapi/v1/restaurant/:apiKey',
  owner: 'catalog',
  params: KeyInPath,
  query: Whereabouts,
  response: Restaurant,
  shared: true,
  problems: ['restaurant-not-found', 'address-not-found-on-map'],
})
