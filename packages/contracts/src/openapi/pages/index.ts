import type { Pages } from '#/openapi/page.ts'
import { accessKeyPages } from '#/openapi/pages/access-keys.ts'
import { kitchenPages } from '#/openapi/pages/kitchen.ts'
import { operatorPages } from '#/openapi/pages/operator.ts'
import { operationsPages } from '#/openapi/pages/operations.ts'
import { orderPages } from '#/openapi/pages/orders.ts'
import { restaurantPages } from '#/openapi/pages/restaurants.ts'
import { userPages } from '#/openapi/pages/users.ts'

export const operationPages: Pages = {
  ...restaurantPages,
  ...userPages,
  ...orderPages,
  ...kitchenPages,
  ...operatorPages,
  ...accessKeyPages,
  ...operationsPages,
}
