import { IssueRestaurantAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { IssuedAccessKeys } from '#/issued-access-key.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { insertRestaurantKey } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

/** Whether there is such a restaurant only the catalog knows; without one the key opens nothing. */
export function issueRestaurantAccessKey(
  db: Db,
  accessKeys: IssuedAccessKeys,
): Handler<typeof IssueRestaurantAccessKey> {
  const { execute } = idempotent(db, IssueRestaurantAccessKey, accessKeys.reveal)
  return (call) =>
    execute(call, async (trx) => {
      const { nonce, kept } = accessKeys.issue(call.body.mode)
      const { created } = await insertRestaurantKey(trx, kept, call.params.apiKey)
      return { id: kept.id, accessKey: nonce, prefix: kept.prefix, created }
    })
}
