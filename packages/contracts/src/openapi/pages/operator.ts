import { category, detailedRestaurant, keys, zone } from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

const application = { id: keys.application, name: 'Lunch for teams', created: 1795199400 }

const { zones: _inTheirOwnShape, ...withoutZones } = detailedRestaurant
const { open: _worksItselfOut, ...restaurantInput } = withoutZones

export const operatorPages: Pages = {
  'put-restaurant': {
    description:
      'Creates a restaurant or replaces it as a whole, in the shape of its record. Its menu stays. With `validate-only` nothing is stored: the answer says whether it could be.',
    bodies: { 'A restaurant': { ...restaurantInput, zones: [zone] } },
    answer: { description: 'The restaurant.', example: detailedRestaurant },
  },
  'put-menu': {
    description:
      'Replaces a menu: validated as a whole, swapped in one transaction. At most 4 MiB. With `validate-only` nothing is stored: the answer says whether it could be.',
    bodies: { 'A menu': [{ apiKey: category.apiKey, name: category.name, items: category.items }] },
    answer: { description: 'The menu.', example: [category] },
  },
  'put-restaurant-link': {
    description: 'Says how orders reach a restaurant. The answer never has the secret.',
    bodies: {
      'A webhook': {
        kind: 'webhook',
        url: 'https://kitchen.example.org/orders',
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
        reports: 'coarse',
      },
      'The web page': { kind: 'console' },
    },
    answer: {
      description: 'The kind of link.',
      example: { kind: 'webhook', reports: 'coarse' },
    },
  },
  'create-application': {
    description: 'A client application: what users, orders and access keys belong to.',
    bodies: { 'An application': { name: 'Lunch for teams' } },
    answer: { description: 'The application.', example: application },
  },
  applications: {
    description: 'The client applications, newest first.',
    answer: { description: 'The applications.', example: [application] },
  },
  restaurants: {
    description: 'All restaurants, newest first, test restaurants too. Without their delivery zones.',
    answer: { description: 'The restaurants.', example: [withoutZones] },
  },
}
