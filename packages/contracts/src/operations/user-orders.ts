import { z } from 'zod'
import { KeyInPath, Page } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

/** docs/specification.md, "Endpoints": newest first, the next page in the `Link` header. */
export const UserOrders = operation({
  name: 'user-orders',
  summary: "Read a user's order history",
  method: 'GET',
  path: '/publicapi/v1/user/:apiKey/orders',
  owner: 'orders',
  admission: 'priority',
  params: KeyInPath,
  query: Page,
  response: z.array(Order),
  problems: ['user-not-found'],
})
