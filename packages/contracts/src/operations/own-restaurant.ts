import type { z } from 'zod'
import { detailedRestaurant } from '#/examples.ts'
import { operation } from '#/operation.ts'
import { Pause } from '#/operations/pause.ts'
import { Restaurant } from '#/records.ts'

export const OwnRestaurant = operation({
  name: 'own-restaurant',
  summary: 'Read the restaurant of the access key',
  description: 'The restaurant of the access key with its details, and its pause.',
  method: 'GET',
  path: '/restaurantapi/v1/restaurant',
  owner: 'catalog',
  admission: 'priority',
  response: Restaurant.extend({
    paused: Pause.shape.paused.describe(
      'Whether the restaurant is paused. It may also be paused outside its opening hours.',
    ),
    pausedUntil: Pause.shape.pausedUntil,
  }).meta({ id: 'OwnRestaurant' }),
  returns: 'The restaurant.',
  examples: {
    response: {
      ...detailedRestaurant,
      open: false,
      closedReason: 'paused',
      opensAt: 1795201200,
      paused: true,
      pausedUntil: 1795201200,
    },
  },
  problems: ['restaurant-not-found'],
})
export type OwnRestaurant = z.infer<(typeof OwnRestaurant)['response']>
