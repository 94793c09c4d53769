import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

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
  async take(table: string, superuser: string): Promise<void> {
    const client = new pg.Client({ connectionString: superuser })
    await client.connect()
    try {
      await client.query(`create tablespace small_disk location '${this.#folder}'`)
      await client.query(`alter table ${table} set tablespace small_disk`)
    } finally {
      await client.end()
    }
  }

  fill(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    writeFileSync(this.#ballast, Buffer.alloc(bavail * bsize))
  }

  free(): void {
    rmSync(this.#ballast)
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
