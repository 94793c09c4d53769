import type { Pages } from '../page.ts'
import { kitchenPages } from './kitchen.ts'
import { operatorPages } from './operator.ts'
import { orderPages } from './orders.ts'
import { restaurantPages } from './restaurants.ts'
import { userPages } from './users.ts'

export const operationPages: Pages = {
  ...restaurantPages,
  ...userPages,
  ...orderPages,
  ...kitchenPages,
  ...operatorPages,
}
