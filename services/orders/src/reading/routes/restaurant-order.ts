import type { GetRestaurantOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { findRestaurantOrder, type Deps } from '#/reading/find-restaurant-order.ts'

export const getRestaurantOrder =
  (deps: Deps): Handler<typeof GetRestaurantOrder> =>
  ({ params, principal }) =>
    findRestaurantOrder(deps, principal, params.apiKey)
