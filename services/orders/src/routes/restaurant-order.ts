import type { GetRestaurantOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { AcceptDeadline } from '#/domain/restaurant-order.ts'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

export const getRestaurantOrder =
  (needs: { db: Db; deadline: AcceptDeadline }): Handler<typeof GetRestaurantOrder> =>
  ({ params, principal }) =>
    readRestaurantOrder(needs, principal, params.apiKey)
