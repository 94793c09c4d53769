import type { IssueRestaurantAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { newAccessKey } from '#/new-access-key.ts'
import { insertRestaurantKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

/** Whether there is such a restaurant only the catalog knows; without one the key opens nothing. */
export const issueRestaurantAccessKey =
  (db: Db): Handler<typeof IssueRestaurantAccessKey> =>
  async ({ params, body }) => {
    const { accessKey, kept } = newAccessKey(body.mode)
    const { created } = await insertRestaurantKey(db, kept, params.apiKey)
    return { id: kept.id, accessKey, prefix: kept.prefix, created }
  }
