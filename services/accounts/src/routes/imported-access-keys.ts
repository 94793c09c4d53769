import type { ImportedAccessKeys } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { AccessKeyStore } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

type Deps = { db: Db; accessKeys: (db: Db) => Pick<AccessKeyStore, 'importsVersion' | 'importedHashes'> }

/** Reads the version before the hashes: after an import between the two reads, the next request finds another version. */
export const importedAccessKeys =
  ({ db, accessKeys }: Deps): Handler<typeof ImportedAccessKeys> =>
  async ({ body }) => {
    const version = await accessKeys(db).importsVersion()
    return { version, hashes: version === body.known ? null : await accessKeys(db).importedHashes() }
  }
