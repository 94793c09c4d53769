import { operation } from '#/operation.ts'
import { RestaurantSearch } from '#/operations/restaurant-search.ts'

const { query, response } = RestaurantSearch.examples

export const RestaurantSearchTest = operation({
  ...RestaurantSearch,
  name: 'restaurant-search-test',
  summary: 'Search test restaurants',
  description:
    'All test restaurants that match `search`, nearest first, at any distance. They take orders with `"test": true` or a test key, and such orders are never charged.',
  path: '/publicapi/v1/restaurant/search-test',
  examples: {
    query,
    response: {
      ...response,
      restaurants: response.restaurants.map((restaurant) => ({ ...restaurant, isTestRestaurant: true })),
    },
  },
})
