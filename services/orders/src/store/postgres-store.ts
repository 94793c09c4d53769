import type { Db } from '@platter/kit'

/** The rows that one connection sees: the service's own, a tenant-scoped one, or a transaction. */
export class PostgresStore {
  protected readonly db: Db

  constructor(db: Db) {
    this.db = db
  }
}
