import { category, detailedRestaurant, dips, place, restaurant } from '#/openapi/examples.ts'
import type { Page, Pages } from '#/openapi/page.ts'

const search: Page = {
  description:
    'Restaurants around a place, given in words (`street-address`) or as a point (`latitude` and `longitude`), nearest open ones first. Without a place, all of them. Test restaurants are never among them; with a test key (`platter_test_…`) they are the only ones.',
  query: { 'street-address': '2 E Main St, Madison, WI 53703', search: 'pizza' },
  answer: {
    description: 'The place as it was understood, and the restaurants.',
    example: { address: place, restaurants: [restaurant] },
  },
}

export const restaurantPages: Pages = {
  'restaurant-search': search,
  'restaurant-search-test': {
    ...search,
    description:
      'All test restaurants, nearest first, however far, with what `search` finds among them: they take orders with `"test": true` or a test key, which are never charged.',
    answer: {
      ...search.answer,
      example: { address: place, restaurants: [{ ...restaurant, isTestRestaurant: true }] },
    },
  },
  'restaurant-details': {
    description:
      'One restaurant, with its delivery zones. With a place, `deliveryMin` and `deliveryPrice` are those of the zone that holds it, and `offersDelivery` is false outside every zone.',
    query: { 'street-address': '316 W Washington Ave, Madison, WI 53703' },
    answer: {
      description: 'The restaurant.',
      example: { ...detailedRestaurant, restaurant: detailedRestaurant },
    },
  },
  'restaurant-menu': {
    description:
      'The menu by categories. With `includeCustomizations=true` every item comes with what can be chosen for it; otherwise ask for the customizations of the item that is about to be ordered.',
    query: { includeCustomizations: true },
    answer: {
      description: 'The categories in the order in which the restaurant lists them.',
      example: [category],
    },
    revalidates: true,
  },
  'item-customizations': {
    description:
      'What can or must be chosen for a menu item. For each group, the `count`s of the chosen ones add up to at least `minCount` and at most `maxCount`.',
    answer: { description: 'The groups; none for an item without choices.', example: [dips] },
    revalidates: true,
  },
}
