import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nobody } from '../../dev/servers/postgres-place.ts'
import { withClient } from '../../dev/servers/database.ts'

/** Mounting a disk requires root. */
export const isSmallDiskPossible = process.platform === 'linux' && process.getuid?.() === 0

const SIZE_MB = 16
const TABLE = 'orders.orders'

const FILLER = `
  insert into ${TABLE} (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, outcome, details)
  values (gen_random_uuid()::text, 'filler', '', 'pickup', 'cash', true, 0, 'PROCESSING', 'NOT_REQUIRED', 'failed', '{}')`

/** Without triggers, no subscriber receives filler rows. */
const NO_TRIGGERS = 'set session_replication_role = replica'

export type SmallDisk = ReturnType<typeof smallDisk>

/** A small disk in memory for the table of orders. `superuser`: the URL of a role that may create tablespaces. */
export function smallDisk(superuser: string) {
  const folder = mkdtempSync(join(tmpdir(), 'platter-disk-'))
  const ballast = join(folder, 'ballast')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder])
  // PostgreSQL refuses to run as root. The launcher then runs it as this user.
  chownSync(folder, nobody, nobody)
  chmodSync(folder, 0o700)
  const free = () => rmSync(ballast, { force: true })
  return {
    /**
     * Moves the table to this disk and fills the disk, and then the free space within the pages of the table. An order may still fit
     * there, but its next step may not. The order is then accepted, and its client waits until the deadline.
     */
    fill: () =>
      withClient(superuser, async (client) => {
        await client.query(`create tablespace small_disk location '${folder}'`)
        await client.query(`alter table ${TABLE} set tablespace small_disk`)
        // VACUUM records the free space in the pages of the table, and an insert uses it.
        await client.query(`vacuum ${TABLE}`)
        const { bavail, bsize } = statfsSync(folder)
        writeFileSync(ballast, Buffer.alloc(bavail * bsize))
        await client.query(NO_TRIGGERS)
        try {
          for (;;) await client.query(FILLER)
        } catch (error) {
          // disk_full (PostgreSQL manual, appendix A).
          if ((error as { code?: string }).code !== '53100') throw error
        }
      }),
    free,
    /** Moves the table back, without the filler rows. */
    restore: () =>
      withClient(superuser, async (client) => {
        free()
        await client.query(NO_TRIGGERS)
        await client.query(`delete from ${TABLE} where application_id = 'filler'`)
        await client.query(`alter table ${TABLE} set tablespace pg_default`)
      }),
    /** Removes the disk. PostgreSQL must have ended. */
    remove(): void {
      execFileSync('umount', [folder])
      rmdirSync(folder)
    },
  }
}
