import { z } from 'zod'
import { optionalBody } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Epoch } from '#/values.ts'

export const Pause = z
  .object({
    paused: z.boolean(),
    pausedUntil: Epoch.nullable().describe(
      'When the pause ends automatically; null without a pause, and for one that lasts until `resume`.',
    ),
  })
  .meta({ id: 'Pause' })

export const PauseRestaurant = operation({
  name: 'pause',
  summary: 'Pause the restaurant',
  description:
    'The restaurant takes no orders for the given minutes, or without `minutes` until `resume`: `open` is false, and orders are refused with `restaurant-closed`. Another pause replaces the current one. Existing orders continue.',
  method: 'POST',
  path: '/restaurantapi/v1/pause',
  owner: 'catalog',
  admission: 'priority',
  body: optionalBody(
    z.object({
      minutes: z
        .int()
        .min(1)
        .max(1_440)
        .optional()
        .describe('From now; a day at most. Without it, the pause lasts until `resume`.'),
    }),
  ),
  response: Pause,
  returns: 'The pause.',
  examples: {
    bodies: { 'Catching up': { minutes: 20 }, 'Until resumed': {} },
    response: { paused: true, pausedUntil: 1795201200 },
  },
  problems: ['restaurant-not-found'],
})
