import type { PutRestaurantLink } from '@platter/contracts'
import { Problem, type Handler, type RequestContext } from '@platter/kit'
import { isDevelopmentLink } from '#/delivery/development-link.ts'
import type { Outgoing } from '#/delivery/outside/outgoing.ts'
import type { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'restaurantLinks'> & {
  outgoing: Pick<Outgoing, 'faultOf'>
  attendance: Pick<AttendanceKeeper, 'begin'>
  isDevelopment: boolean
  isTestRestaurant: (restaurantApiKey: string, context: RequestContext) => Promise<boolean>
}

const PUBLIC_SECRET =
  'secret is publicly known, for simulated restaurants only. Use your own secret, or make this a test restaurant.'

/** Sets the link by which orders reach a restaurant. The response does not contain the webhook's secret. */
export const putRestaurantLink =
  (deps: Deps): Handler<typeof PutRestaurantLink> =>
  async (context) => {
    const { restaurantLinks, outgoing, attendance, isDevelopment, isTestRestaurant } = deps
    const { params, query, body } = context
    const fault = body.kind === 'webhook' ? await outgoing.faultOf(new URL(body.url)) : null
    if (fault !== null)
      throw Problem.of([{ pointer: '/url', code: 'invalid-field', detail: `url ${fault}.` }])
    const { kind, reports } = body
    // A file is validated before its restaurant is stored, so whether that is a test restaurant may be unknown.
    if (query['validate-only']) return { kind, reports }
    if (!isDevelopment && isDevelopmentLink(body) && !(await isTestRestaurant(params.apiKey, context)))
      throw Problem.of([{ pointer: '/secret', code: 'invalid-field', detail: PUBLIC_SECRET }])
    await attendance.begin(params.apiKey, await restaurantLinks.put(params.apiKey, body))
    return { kind, reports }
  }
