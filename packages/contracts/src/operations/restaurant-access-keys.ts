import { accessKey } from '#/examples.ts'
import { RestaurantInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { OperatorAccessKeys } from '#/operations/operator-access-keys.ts'

export const RestaurantAccessKeys = operation({
  ...OperatorAccessKeys,
  name: 'restaurant-access-keys',
  summary: 'Read the access keys of a restaurant',
  description: 'The access keys of a restaurant, newest first, including expired and revoked ones.',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  params: RestaurantInPath,
  examples: { response: [{ ...accessKey, kind: 'restaurant' }] },
})
