import { Problem, type Db } from '@platter/kit'
import type { DerivedAccessKeys, NewKey } from '#/derived-access-keys.ts'
import type { AccessKeyStore, Holder } from '#/store/access-keys.ts'

/** The dependencies of the routes that issue an access key. */
export type IssueDeps = {
  db: Db
  accessKeys: (db: Db) => Pick<AccessKeyStore, 'insert'>
  derivedKeys: DerivedAccessKeys
}

/** Stores a new access key. Returns the response that is stored under the Idempotency-Key. Throws Problem access-key-taken. */
export async function insertKey(
  accessKeys: Pick<AccessKeyStore, 'insert'>,
  { nonce, stored }: NewKey,
  holder: Holder,
) {
  const inserted = await accessKeys.insert(stored, holder)
  if (!inserted) throw new Problem('access-key-taken', 'This access key is already stored.')
  return { id: stored.id, accessKey: nonce, prefix: stored.prefix, created: inserted.created }
}
