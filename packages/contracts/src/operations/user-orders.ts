import { z } from 'zod'
import { deliveryOrder } from '#/examples.ts'
import { PageQuery, UserInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Order } from '#/records.ts'

export const UserOrders = operation({
  name: 'user-orders',
  summary: "Read a user's order history",
  description: 'The orders of a user, newest first.',
  method: 'GET',
  path: '/publicapi/v1/user/:apiKey/orders',
  owner: 'orders',
  admission: 'priority',
  params: UserInPath,
  query: PageQuery,
  response: z.array(Order),
  returns: 'A page of orders.',
  examples: { response: [{ ...deliveryOrder, status: 'DELIVERED' }] },
  problems: ['user-not-found'],
})
