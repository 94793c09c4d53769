import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** The end of the year 9999: also tells milliseconds from seconds. */
const LAST_EPOCH = 253_402_300_799

/** What a restaurant says of an item or a choice. */
export const SetAvailability = z
  .object({
    available: z.boolean().describe('Whether it can be ordered from now on.'),
    until: z
      .int()
      .min(0)
      .max(LAST_EPOCH, 'is not a time in seconds')
      .describe('Unix time in whole seconds.')
      .optional()
      .describe(
        'With `"available": false`: when it can be ordered again by itself (Unix time in whole seconds). Without it, when the restaurant says so.',
      ),
  })
  .refine(({ available, until }) => !available || until === undefined, {
    path: ['until'],
    error: 'is for what is not available',
  })
  .meta({ id: 'SetAvailability' })

export const AvailabilitySaid = z
  .object({ apiKey: ApiKey, available: z.boolean(), until: Epoch.nullable() })
  .meta({ id: 'Availability', description: 'What the restaurant says of an item or a choice.' })

/** Takes an item off the restaurant's menu, or puts it back: felt by menus and orders within 2 s. */
export const ItemAvailability = operation({
  name: 'item-availability',
  summary: 'Take a menu item off the menu, or put it back',
  method: 'POST',
  path: '/restaurantapi/v1/item/:apiKey/availability',
  owner: 'catalog',
  admission: 'priority',
  params: KeyInPath,
  body: SetAvailability,
  response: AvailabilitySaid,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'item-not-found'],
})
