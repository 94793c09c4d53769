import { IssuedAccessKey, NewAccessKey } from '#/access-key.ts'
import { issuedAccessKey } from '#/examples.ts'
import { RestaurantInPath } from '#/inputs.ts'
import { bodyProblems, operation } from '#/operation.ts'

export const IssueRestaurantAccessKey = operation({
  name: 'issue-restaurant-access-key',
  summary: 'Issue an access key of a restaurant',
  description:
    'Creates an access key for one restaurant. Only its hash is stored, so this response is the only one that contains it.',
  method: 'POST',
  path: '/operatorapi/v1/restaurants/:apiKey/access-keys',
  owner: 'accounts',
  params: RestaurantInPath,
  body: NewAccessKey,
  response: IssuedAccessKey,
  returns: 'The access key.',
  examples: { bodies: { 'A key': { mode: 'live' } }, response: issuedAccessKey },
  problems: bodyProblems,
})
