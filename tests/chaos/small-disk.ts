import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../../dev/servers/database.ts'

const SIZE_MB = 16
/** PostgreSQL runs as this user where it may not run as root. */
const NOBODY = 65_534

/** A disk of our own, in memory, so that PostgreSQL's may be filled. To mount it takes root. */
export class SmallDisk {
  static readonly isPossible = process.platform === 'linux' && process.getuid?.() === 0
  readonly #folder = mkdtempSync(join(tmpdir(), 'platter-disk-'))

  constructor() {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', this.#folder])
    chownSync(this.#folder, NOBODY, NOBODY)
    chmodSync(this.#folder, 0o700)
  }

  /** Moves a table to this disk. `superuser`: the URL of a role that may make tablespaces. */
  take(table: string, superuser: string): Promise<void> {
    return say(
      superuser,
      `create tablespace small_disk location '${this.#folder}'`,
      `alter table ${table} set tablespace small_disk`,
    )
  }

  /** Moves it back. */
  giveBack(table: string, superuser: string): Promise<void> {
    return say(superuser, `alter table ${table} set tablespace pg_default`)
  }

  fill(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    writeFileSync(this.#ballast, Buffer.alloc(bavail * bsize))
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** After PostgreSQL has ended. */
  remove(): void {
    execFileSync('umount', [this.#folder])
    rmdirSync(this.#folder)
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast')
  }
}

const say = (superuser: string, ...statements: string[]): Promise<void> =>
  withClient(superuser, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
