import { KeyInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

/** docs/specification.md, "Endpoints". */
export const GetOrder = operation({
  name: 'order',
  summary: 'Read an order',
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  response: Order,
  problems: ['order-not-found'],
})
