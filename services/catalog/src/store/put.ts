import type { Db } from '@platter/kit'

/** Nothing was written, because these keys belong to another restaurant. */
type Taken = { kind: 'taken'; keys: ReadonlySet<string> }

/** Rolls back a transaction and carries its outcome. */
class Rollback extends Error {
  readonly outcome: unknown
  constructor(outcome: unknown) {
    super('rolled back')
    this.outcome = outcome
  }
}

/**
 * Runs `work` in a transaction and returns its outcome. With `validateOnly` every check runs, including those of the database, and
 * the transaction is rolled back.
 */
export async function put<O>(
  db: Db,
  { validateOnly }: { validateOnly: boolean },
  work: (trx: Db) => Promise<O>,
): Promise<O | Taken> {
  try {
    return await db.transaction().execute(async (trx) => {
      const outcome = await work(trx)
      if (validateOnly) throw new Rollback(outcome)
      return outcome
    })
  } catch (error) {
    if (error instanceof Rollback) return error.outcome as O | Taken
    throw error
  }
}

/** Rolls back if some keys were not inserted, because another restaurant has them. */
export function requireInserted(
  records: readonly { apiKey: string }[],
  inserted: readonly { api_key: string }[],
): void {
  if (inserted.length === records.length) return
  const keys = new Set(inserted.map(({ api_key }) => api_key))
  const taken = records.map(({ apiKey }) => apiKey).filter((key) => !keys.has(key))
  throw new Rollback({ kind: 'taken', keys: new Set(taken) } satisfies Taken)
}
