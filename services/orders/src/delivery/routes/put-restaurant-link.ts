import type { PutRestaurantLink } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Outgoing } from '#/delivery/outside/outgoing.ts'
import * as restaurantLinks from '#/store/restaurant-links.ts'
import type { Db } from '#/store/tables.ts'

/** Says how orders reach a restaurant from now on; the webhook's secret is not said back. */
export const putRestaurantLink =
  (db: Db, { faultOf }: Pick<Outgoing, 'faultOf'>): Handler<typeof PutRestaurantLink> =>
  async ({ params, body }) => {
    const fault = body.kind === 'webhook' ? await faultOf(new URL(body.url)) : null
    if (fault !== null)
      throw Problem.of([{ pointer: '/url', code: 'invalid-field', detail: `url ${fault}.` }])
    await restaurantLinks.put(db, params.apiKey, body)
    return { kind: body.kind, reports: body.reports }
  }
