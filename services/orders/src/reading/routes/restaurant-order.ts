import type { GetRestaurantOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { readRestaurantOrder } from '#/reading/find-restaurant-order.ts'
import type { Db } from '#/store/tables.ts'

export const getRestaurantOrder =
  (needs: { db: Db; acceptWithinMs: number }): Handler<typeof GetRestaurantOrder> =>
  ({ params, principal }) =>
    readRestaurantOrder(needs, principal, params.apiKey)
