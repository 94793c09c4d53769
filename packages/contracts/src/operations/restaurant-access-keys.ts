import { z } from 'zod'
import { AccessKey } from '#/access-key.ts'
import { accessKey } from '#/examples.ts'
import { PageQuery, RestaurantInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'

export const RestaurantAccessKeys = operation({
  name: 'restaurant-access-keys',
  summary: 'Read the access keys of a restaurant',
  description: 'The access keys of a restaurant, newest first, including expired and revoked ones.',
  method: 'GET',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  owner: 'accounts',
  params: RestaurantInPath,
  query: PageQuery,
  response: z.array(AccessKey),
  returns: 'The access keys.',
  examples: { response: [{ ...accessKey, kind: 'restaurant' }] },
  problems: [],
})
