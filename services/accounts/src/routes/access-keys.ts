import type { ApplicationAccessKeys, OperatorAccessKeys, RestaurantAccessKeys } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { APPLICATION_NOT_FOUND } from '#/domain/refusals.ts'
import { pageOf, positionOf } from '#/paging.ts'
import { listKeys, type Holder } from '#/store/access-key-records.ts'
import { isApplication } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

type Paged = Parameters<typeof pageOf>[0] & { query: { cursor?: string | undefined } }

async function page(db: Db, holder: Holder, call: Paged) {
  const { limit, cursor } = call.query
  return pageOf(call, await listKeys(db, holder, { before: positionOf(cursor), limit: limit + 1 }))
}

export const applicationAccessKeys =
  (db: Db): Handler<typeof ApplicationAccessKeys> =>
  async (call) => {
    const { id: applicationId } = call.params
    if (!(await isApplication(db, applicationId))) throw Problem.refusal(APPLICATION_NOT_FOUND)
    return page(db, { kind: 'application', applicationId }, call)
  }

/** Whether there is such a restaurant only the catalog knows; without one there are no keys. */
export const restaurantAccessKeys =
  (db: Db): Handler<typeof RestaurantAccessKeys> =>
  (call) =>
    page(db, { kind: 'restaurant', restaurantApiKey: call.params.apiKey }, call)

export const operatorAccessKeys =
  (db: Db): Handler<typeof OperatorAccessKeys> =>
  (call) =>
    page(db, { kind: 'operator' }, call)
