import type { ImportedAccessKeys } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { importedHashes, importsVersion } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

/** The version is read first: an import between the two makes the next one another. */
export const importedAccessKeys =
  (db: Db): Handler<typeof ImportedAccessKeys> =>
  async ({ body }) => {
    const version = await importsVersion(db)
    return { version, hashes: version === body.known ? null : await importedHashes(db) }
  }
