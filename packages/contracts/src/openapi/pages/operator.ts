import { category, detailedRestaurant, keys, zone } from '../examples.ts'
import type { Pages } from '../page.ts'

const application = { id: keys.application, name: 'Lunch for teams', created: 1795199400 }

const issuedKey = {
  id: keys.accessKey,
  accessKey: 'platter_live_9kQ2mX7vB4nT8sLw3RzY6cHdJ5pG1f0aUeKq',
  prefix: 'platter_live_9kQ2',
  created: 1795199400,
}

const { open: _worksItselfOut, zones: _inTheirOwnShape, ...restaurantInput } = detailedRestaurant

export const operatorPages: Pages = {
  'put-restaurant': {
    description:
      'Creates a restaurant or replaces it as a whole, in the shape of its record. Its menu stays.',
    bodies: { 'A restaurant': { ...restaurantInput, zones: [zone] } },
    answer: { description: 'The restaurant.', example: detailedRestaurant },
  },
  'put-menu': {
    description: 'Replaces a menu: validated as a whole, swapped in one transaction. At most 4 MiB.',
    bodies: { 'A menu': [{ apiKey: category.apiKey, name: category.name, items: category.items }] },
    answer: { description: 'The menu.', example: [category] },
  },
  'put-restaurant-link': {
    description: 'Says how orders reach a restaurant. The answer never has the secret.',
    bodies: {
      'A simulator': { kind: 'simulator', behaviour: 'accepts', reports: 'detailed' },
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
      example: { kind: 'simulator', reports: 'detailed' },
    },
  },
  'create-application': {
    description: 'A client application: what users, orders and access keys belong to.',
    bodies: { 'An application': { name: 'Lunch for teams' } },
    answer: { description: 'The application.', example: application },
  },
  'issue-access-key': {
    description: 'An access key of a client application. Only its hash is kept, so it is shown this once.',
    bodies: { 'For real orders': { mode: 'live' }, 'For a test environment': { mode: 'test' } },
    answer: { description: 'The access key.', example: issuedKey },
  },
  'issue-restaurant-access-key': {
    description:
      'An access key that is bound to one restaurant. Only its hash is kept, so it is shown this once.',
    bodies: { 'A key': { mode: 'live' } },
    answer: { description: 'The access key.', example: issuedKey },
  },
}
