import type { PutRestaurantLink } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Outgoing } from '#/delivery/outside/outgoing.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'restaurantLinks'> & {
  outgoing: Pick<Outgoing, 'faultOf'>
  attendance: Pick<AttendanceKeeper, 'begin'>
}

/** Sets how orders reach a restaurant from now on. The response does not contain the webhook's secret. */
export const putRestaurantLink =
  ({ restaurantLinks, outgoing, attendance }: Deps): Handler<typeof PutRestaurantLink> =>
  async ({ params, body }) => {
    const fault = body.kind === 'webhook' ? await outgoing.faultOf(new URL(body.url)) : null
    if (fault !== null)
      throw Problem.of([{ pointer: '/url', code: 'invalid-field', detail: `url ${fault}.` }])
    await restaurantLinks.put(params.apiKey, body)
    await attendance.begin(params.apiKey, body.kind)
    return { kind: body.kind, reports: body.reports }
  }
