import { IssueRestaurantAccessKey } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { DerivedAccessKeys } from '#/derived-access-keys.ts'
import { insertKey } from '#/insert-key.ts'
import type { AccessKeyStore } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

type Deps = {
  db: Db
  accessKeys: (db: Db) => Pick<AccessKeyStore, 'insert'>
  derivedKeys: DerivedAccessKeys
}

/**
 * The restaurant is not checked, because only catalog has the restaurants. A key of an unknown restaurant gives access to nothing.
 */
export function issueRestaurantAccessKey({
  db,
  accessKeys,
  derivedKeys,
}: Deps): Handler<typeof IssueRestaurantAccessKey> {
  const { execute } = idempotent(db, IssueRestaurantAccessKey, derivedKeys.reveal)
  return (call) =>
    execute(call, (trx) =>
      insertKey(accessKeys(trx), derivedKeys.issue(call.body.mode), {
        kind: 'restaurant',
        restaurantApiKey: call.params.apiKey,
      }),
    )
}
