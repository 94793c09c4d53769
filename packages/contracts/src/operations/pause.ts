import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Epoch } from '#/values.ts'

export const Pause = z
  .object({
    paused: z.boolean(),
    pausedUntil: Epoch.nullable().describe(
      'When it takes orders again by itself; null when it is not paused.',
    ),
  })
  .meta({ id: 'Pause' })

/** Closes the restaurant for a while, from now on: orders get `restaurant-closed`, and `open` is false. */
export const PauseRestaurant = operation({
  name: 'pause',
  summary: 'Take no orders for a while',
  method: 'POST',
  path: '/restaurantapi/v1/pause',
  owner: 'catalog',
  admission: 'priority',
  body: z.object({ minutes: z.int().min(1).max(1_440).describe('From now; a day at most.') }),
  response: Pause,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'restaurant-not-found'],
})
