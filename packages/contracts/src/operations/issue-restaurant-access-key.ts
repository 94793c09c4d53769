import { RestaurantInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { IssueOperatorAccessKey } from '#/operations/issue-operator-access-key.ts'

export const IssueRestaurantAccessKey = operation({
  ...IssueOperatorAccessKey,
  name: 'issue-restaurant-access-key',
  summary: 'Issue an access key of a restaurant',
  description:
    'Creates an access key for one restaurant. Only its hash is stored, so this response is the only one that contains it.',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  params: RestaurantInPath,
})
