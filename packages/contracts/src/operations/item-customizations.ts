import { z } from 'zod'
import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { CustomizationGroup } from '#/records.ts'

/** docs/specification.md, "Endpoints". */
export const ItemCustomizations = operation({
  name: 'item-customizations',
  summary: 'Read the customizations of a menu item',
  method: 'GET',
  path: '/publicapi/v1/customizations/:apiKey',
  owner: 'catalog',
  admission: 'read',
  params: KeyInPath,
  response: z.array(CustomizationGroup),
  problems: ['item-not-found'],
})
