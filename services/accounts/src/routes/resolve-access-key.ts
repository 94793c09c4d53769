import type { ResolveAccessKey } from '@platter/contracts'
import type { Handler, Log } from '@platter/kit'
import { findKey, markUsed } from '#/store/access-keys.ts'
import type { Db } from '#/store/tables.ts'

/** Every public request waits for this answer, so that the key was used is noted behind its back. */
export const resolveAccessKey =
  (db: Db, log: Log): Handler<typeof ResolveAccessKey> =>
  async ({ body, requestId }) => {
    const known = await findKey(db, body.hash)
    if (known?.longUnused) {
      markUsed(db, known.id).catch((error: unknown) =>
        log.warn({ requestId, err: error }, 'the use of an access key was not noted'),
      )
    }
    return { principal: known?.principal ?? null }
  }
