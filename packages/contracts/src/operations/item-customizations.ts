import { z } from 'zod'
import { dips } from '#/examples.ts'
import { ItemInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { CustomizationGroup } from '#/records.ts'

export const ItemCustomizations = operation({
  name: 'item-customizations',
  summary: 'Read the customizations of a menu item',
  description:
    'The optional and mandatory choices for a menu item. For each group, the `count`s of the chosen choices add up to at least `minCount` and at most `maxCount`.',
  method: 'GET',
  path: '/publicapi/v1/customizations/:apiKey',
  owner: 'catalog',
  admission: 'read',
  params: ItemInPath,
  response: z.array(CustomizationGroup),
  returns: 'The groups; none for an item without choices.',
  examples: { response: [dips] },
  hasETag: true,
  problems: ['item-not-found'],
})
