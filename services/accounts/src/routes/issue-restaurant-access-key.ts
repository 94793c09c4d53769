import { IssueRestaurantAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { insertKey, type IssueDeps } from '#/insert-key.ts'

/**
 * The restaurant is not checked, because only catalog has the restaurants. A key of an unknown restaurant gives access to nothing.
 */
export function issueRestaurantAccessKey({
  db,
  accessKeys,
  derivedKeys,
}: IssueDeps): Handler<typeof IssueRestaurantAccessKey> {
  const { execute } = idempotent(db, IssueRestaurantAccessKey, derivedKeys.reveal)
  return (call) =>
    execute(call, (trx) =>
      insertKey(accessKeys(trx), derivedKeys.issue(call.body.mode), {
        kind: 'restaurant',
        restaurantApiKey: call.params.apiKey,
      }),
    )
}
