import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'
import { Pause } from '#/operations/pause.ts'

/** The restaurant of the access key: as clients see it, and whether it has paused. */
export const OwnRestaurant = operation({
  name: 'own-restaurant',
  summary: 'Read the restaurant of the access key',
  method: 'GET',
  path: '/restaurantapi/v1/restaurant',
  owner: 'catalog',
  admission: 'priority',
  response: Restaurant.extend({ pausedUntil: Pause.shape.pausedUntil }).meta({ id: 'OwnRestaurant' }),
  problems: ['restaurant-not-found'],
})
