import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../../dev/servers/database.ts'

const SIZE_MB = 16
/** PostgreSQL refuses to run as root. The launcher then runs it as this user. */
const NOBODY = 65_534

/** A small disk in memory that a test can fill. Mounting it requires root. */
export class SmallDisk {
  static readonly isPossible = process.platform === 'linux' && process.getuid?.() === 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'platter-disk-'))

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', this.#folder])
    chownSync(this.#folder, NOBODY, NOBODY)
    chmodSync(this.#folder, 0o700)
  }

  /** Moves a table to this disk. `superuser`: the URL of a role that may create tablespaces. */
  take(table: string, superuser: string): Promise<void> {
    return execute(
      superuser,
      `create tablespace small_disk location '${this.#folder}'`,
      `alter table ${table} set tablespace small_disk`,
    )
  }

  /** Moves the table back. */
  restore(table: string, superuser: string): Promise<void> {
    return execute(superuser, `alter table ${table} set tablespace pg_default`)
  }

  fill(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    writeFileSync(this.#ballast, Buffer.alloc(bavail * bsize))
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** Removes the disk. PostgreSQL must have ended. */
  remove(): void {
    execFileSync('umount', [this.#folder])
    rmdirSync(this.#folder)
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast')
  }
}

const execute = (superuser: string, ...statements: string[]): Promise<void> =>
  withClient(superuser, async (client) => {
    for (const statement of statements) await client.query(statement)
  })

const FILLER = `
  insert into orders.orders (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, outcome, details)
  values (gen_random_uuid()::text, 'filler', '', 'pickup', 'cash', true, 0, 'PROCESSING', 'NOT_REQUIRED', 'failed', '{}')`

/** Without triggers, no subscriber receives filler rows. */
const NO_TRIGGERS = 'set session_replication_role = replica'

/**
 * Fills the free space within the pages of the table of orders. An order may still fit there, but its next step may not. The order
 * is then accepted, and its client waits until the deadline.
 */
export async function fillPages(superuser: string): Promise<void> {
  await withClient(superuser, async (client) => {
    await client.query(NO_TRIGGERS)
    try {
      for (;;) await client.query(FILLER)
    } catch (error) {
      // disk_full (PostgreSQL manual, appendix A).
      if ((error as { code?: string }).code !== '53100') throw error
    }
  })
}

export const removeFiller = (superuser: string): Promise<void> =>
  execute(superuser, NO_TRIGGERS, "delete from orders.orders where application_id = 'filler'")
