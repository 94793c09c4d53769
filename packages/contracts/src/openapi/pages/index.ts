import type { Pages } from '../page.ts'
import { accessKeyPages } from './access-keys.ts'
import { kitchenPages } from './kitchen.ts'
import { operatorPages } from './operator.ts'
import { operationsPages } from './operations.ts'
import { orderPages } from './orders.ts'
import { restaurantPages } from './restaurants.ts'
import { userPages } from './users.ts'

export const operationPages: Pages = {
  ...restaurantPages,
  ...userPages,
  ...orderPages,
  ...kitchenPages,
  ...operatorPages,
  ...accessKeyPages,
  ...operationsPages,
}
