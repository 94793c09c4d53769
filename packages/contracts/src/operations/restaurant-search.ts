import { z } from 'zod'
import { Page, Whereabouts } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Address, Restaurant } from '#/records.ts'
import { text } from '#/values.ts'

/** Clients also send `[a, b]` and `[null]`: the brackets and the word null mean nothing. */
const words = text(200)
  .optional()
  .transform((value = '') =>
    value
      .replace(/^\[|\]$/g, '')
      .split(/[\s,]+/)
      .filter((word) => word !== '' && word !== 'null'),
  )

export const SearchQuery = Whereabouts.extend({
  method: z
    .enum(['pickup', 'delivery', 'both'])
    .default('both')
    .describe(
      '`delivery` finds the restaurants that deliver to the place, `pickup` those within the radius.',
    ),
  'pickup-radius': z.number().min(0).max(25).default(5).describe('Miles around the place.'),
  search: words.describe('Words that all have to occur in name, food types or item names of a restaurant.'),
  ...Page.shape,
})
export type SearchQuery = z.output<typeof SearchQuery>

const search = {
  method: 'GET',
  owner: 'catalog',
  admission: 'read',
  query: SearchQuery,
  response: z
    .object({
      address: Address.describe('The place that was searched around.'),
      restaurants: z.array(Restaurant).describe('Nearest open ones first.'),
    })
    .meta({ id: 'RestaurantSearchResult' }),
  problems: ['address-not-found-on-map'],
} as const

/** Restaurants near a place, nearest open ones first; test restaurants are never among them. */
export const RestaurantSearch = operation({
  ...search,
  name: 'restaurant-search',
  summary: 'Search restaurants',
  path: '/publicapi/v1/restaurant/search',
})

/** All test restaurants, nearest first, however far. */
export const RestaurantSearchTest = operation({
  ...search,
  name: 'restaurant-search-test',
  summary: 'Search test restaurants',
  path: '/publicapi/v1/restaurant/search-test',
})
