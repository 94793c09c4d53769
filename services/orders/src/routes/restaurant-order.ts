import type { GetRestaurantOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

export const getRestaurantOrder =
  (db: Db): Handler<typeof GetRestaurantOrder> =>
  ({ params, principal }) =>
    readRestaurantOrder(db, principal, params.apiKey)
