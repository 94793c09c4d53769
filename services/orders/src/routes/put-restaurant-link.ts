import type { PutRestaurantLink } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import * as restaurantLinks from '#/store/restaurant-links.ts'
import type { Db } from '#/store/tables.ts'

/** Says how orders reach a restaurant from now on; the webhook's secret is not said back. */
export const putRestaurantLink =
  (db: Db): Handler<typeof PutRestaurantLink> =>
  async ({ params, body }) => {
    await restaurantLinks.put(db, params.apiKey, body)
    return { kind: body.kind, reports: body.reports }
  }
