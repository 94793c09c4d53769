import { z } from 'zod'
import { restaurant } from '#/examples.ts'
import { PageQuery, PlaceQuery } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address, Restaurant } from '#/records.ts'
import { text } from '#/values.ts'

/** Existing clients also send `[a, b]`, `["a", "b"]` and `[null]`. Brackets, quotation marks and the word null are ignored. */
const words = text(200)
  .optional()
  .transform((value = '') =>
    value
      .replace(/^\[|\]$/g, '')
      .split(/[\s,"“”]+/)
      .filter((word) => word !== '' && word !== 'null'),
  )

const MAX_RADIUS_MILES = 25

const SearchQuery = PlaceQuery.extend({
  method: z
    .enum(['pickup', 'delivery', 'both'])
    .default('both')
    .describe(
      '`delivery` finds the restaurants that deliver to the place, `pickup` those within the radius.',
    ),
  'pickup-radius': z
    .number()
    .min(0)
    .overwrite((miles) => Math.min(miles, MAX_RADIUS_MILES))
    .default(5)
    .describe(`Miles around the place. More than ${MAX_RADIUS_MILES} counts as ${MAX_RADIUS_MILES}.`),
  search: words.describe(
    'Words that must all occur in the name, the food types or the item names of a restaurant. Case, accents, apostrophes and quotation marks are ignored.',
  ),
  ...PageQuery.shape,
})

const place: Address = {
  apiKey: null,
  streetAddress: '2 E Main St, Madison, WI 53703',
  aptNumber: null,
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.0747,
  longitude: -89.3844,
}

export const RestaurantSearch = operation({
  name: 'restaurant-search',
  summary: 'Search restaurants',
  description:
    'Restaurants around a place, nearest open ones first. The place is an address in words (`street-address`) or a point (`latitude` and `longitude`). Without a place the result has all restaurants. It has no test restaurants; with a test key (`platter_test_…`) it has test restaurants only.',
  method: 'GET',
  path: '/publicapi/v1/restaurant/search',
  owner: 'catalog',
  admission: 'read',
  query: SearchQuery,
  response: z
    .object({
      address: Address.describe('The centre of the search.'),
      restaurants: z.array(Restaurant).describe('Nearest open ones first.'),
    })
    .meta({ id: 'RestaurantSearchResult' }),
  returns: 'The resolved place and the restaurants.',
  examples: {
    query: { 'street-address': place.streetAddress, search: 'pizza' },
    response: { address: place, restaurants: [restaurant] },
  },
  problems: ['address-not-found-on-map'],
})
