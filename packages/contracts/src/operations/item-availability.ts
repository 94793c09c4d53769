import { z } from 'zod'
import { keys } from '#/examples.ts'
import { ItemInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** The end of the year 9999; rejects times in milliseconds. */
const LAST_EPOCH = 253_402_300_799

/** An availability override for an item or a choice. */
const SetAvailability = z
  .object({
    available: z.boolean().describe('Whether customers can order it from now on.'),
    until: z
      .int()
      .min(0)
      .refine((until) => until <= LAST_EPOCH, 'is a time in milliseconds; send seconds')
      .describe('Unix time in whole seconds.')
      .optional()
      .describe(
        'With `"available": false`: the time at which it becomes available again automatically (Unix time in whole seconds). Without it, the restaurant must set it to available.',
      ),
  })
  .refine(({ available, until }) => !available || until === undefined, {
    path: ['until'],
    error: 'applies only with `"available": false`',
  })
  .meta({ id: 'SetAvailability' })

const Availability = z
  .object({ apiKey: ApiKey, available: z.boolean(), until: Epoch.nullable() })
  .meta({ id: 'Availability', description: 'The availability override of an item or a choice.' })

export const ItemAvailability = operation({
  name: 'item-availability',
  summary: 'Set the availability of a menu item',
  description:
    "Makes an item unavailable or available again; menus and orders apply it within two seconds. With `until` the item is automatically available again. The override takes precedence over the menu's own record. The override stays when an operator replaces the menu and the new menu still has the item. If the item is not available in the new menu, the new menu takes precedence.",
  method: 'POST',
  path: '/restaurantapi/v1/item/:apiKey/availability',
  owner: 'catalog',
  admission: 'priority',
  params: ItemInPath,
  body: SetAvailability,
  response: Availability,
  returns: 'The availability from now on.',
  examples: {
    bodies: {
      'Sold out for today': { available: false, until: 1795237200 },
      'Back on the menu': { available: true },
    },
    response: { apiKey: keys.garlicKnots, available: false, until: 1795237200 },
  },
  problems: ['item-not-found'],
})
