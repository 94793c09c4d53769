import type { ResolveAccessKey } from '@platter/contracts'
import type { Handler, Log, Db } from '@platter/kit'
import type { AccessKeyStore } from '#/store/access-keys.ts'

type Deps = { db: Db; accessKeys: (db: Db) => Pick<AccessKeyStore, 'find' | 'recordUse'>; log: Log }

/** Responds before the use is recorded, because every public request waits for this response. */
export const resolveAccessKey =
  ({ db, accessKeys, log }: Deps): Handler<typeof ResolveAccessKey> =>
  async ({ body, requestId }) => {
    const store = accessKeys(db)
    const found = await store.find(body.hash)
    if (found?.isUseOutdated) {
      store
        .recordUse(found.id)
        .catch((error: unknown) =>
          log.warn({ requestId, err: error }, 'the use of an access key was not recorded'),
        )
    }
    return { principal: found?.principal ?? null }
  }
