import { detailedRestaurant } from '#/examples.ts'
import { RestaurantInPath, PlaceQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'

/** Existing clients read either the top-level members or `restaurant`. */
const Details = Restaurant.extend({
  restaurant: Restaurant.describe('The same record again, for clients that read it here.'),
}).meta({ id: 'RestaurantDetails' })

export const RestaurantDetails = operation({
  name: 'restaurant-details',
  summary: 'Read a restaurant',
  description:
    'One restaurant, with its delivery zones. With a place, `deliveryMin` and `deliveryPrice` come from the zone that contains it, and `offersDelivery` is false outside every zone. A place that is not found is ignored.',
  method: 'GET',
  path: '/publicapi/v1/restaurant/:apiKey',
  owner: 'catalog',
  admission: 'read',
  params: RestaurantInPath,
  query: PlaceQuery,
  response: Details,
  returns: 'The restaurant.',
  examples: {
    query: { 'street-address': '316 W Washington Ave, Madison, WI 53703' },
    response: { ...detailedRestaurant, restaurant: detailedRestaurant },
  },
  shared: true,
  problems: ['restaurant-not-found'],
})
