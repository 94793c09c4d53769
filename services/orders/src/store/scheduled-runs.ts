import { sql, type RawBuilder } from 'kysely'
import { PostgresStore } from '#/store/postgres-store.ts'

/** The exclusive right to one round. `version` is its fencing token. */
export type Run = { name: 'compare incidents' | 'reconcile'; version: number }

/** Work that one replica at a time repeats at an interval. After a crash, another replica steals the lease. */
export class PostgresScheduledRuns extends PostgresStore {
  /** Acquires the lease of a due round. Returns null if it is not due, or if another replica has the lease. */
  async acquire(name: Run['name'], leaseMs: number): Promise<Run | null> {
    const { rows } = await sql<{ version: number }>`
    update scheduled_runs set version = version + 1, due_at = now() + ${leaseMs} * interval '1 millisecond'
    where name = ${name} and due_at <= now() returning version`.execute(this.db)
    return rows[0] ? { name, version: rows[0].version } : null
  }

  /** Throws if another replica has stolen the lease. */
  renew(run: Run, leaseMs: number): Promise<void> {
    return this.#postpone(run, leaseMs, sql``)
  }

  /** Ends a round, in the transaction of its results. Throws if another replica has stolen the lease. */
  finish(run: Run, nextInMs: number): Promise<void> {
    return this.#postpone(run, nextInMs, sql`, finished_at = now()`)
  }

  async #postpone({ name, version }: Run, ms: number, change: RawBuilder<unknown>): Promise<void> {
    const { rows } = await sql`
    update scheduled_runs set due_at = now() + ${ms} * interval '1 millisecond' ${change}
    where name = ${name} and version = ${version} returning name`.execute(this.db)
    if (rows.length === 0) throw new Error(`another replica has stolen the lease: ${name}`)
  }

  /** Makes the next round due now. Returns false if one is running, or due within 6 minutes, which is longer than any lease. */
  async makeDue(name: Run['name']): Promise<boolean> {
    const { rows } = await sql`
    update scheduled_runs set due_at = now()
    where name = ${name} and due_at > now() + interval '6 minutes' returning name`.execute(this.db)
    return rows.length > 0
  }
}
