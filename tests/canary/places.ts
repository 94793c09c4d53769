import { globSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { withClient } from '../../dev/servers/database.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Canaries } from './canaries.ts'
import { search, type Find } from './search.ts'

export type Found = Find & { place: string }

const root = resolve(import.meta.dirname, '../..')
const SCHEMAS = `n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`

/**
 * Configures PostgreSQL to keep all segments of its write-ahead log, and to store long values uncompressed (the storage EXTERNAL).
 * The search cannot read compressed values.
 */
export async function keepEverything({ urls }: StackFile): Promise<void> {
  await withClient(urls.postgres, async (client) => {
    await client.query(`alter system set wal_keep_size = '16GB'`)
    await client.query(`alter system set wal_recycle = off`)
    await client.query('select pg_reload_conf()')
    const { rows } = await client.query<{ statement: string }>(`
      select format('alter table %I.%I alter column %I set storage external', n.nspname, c.relname, a.attname) as statement
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where ${SCHEMAS} and c.relkind = 'r' and a.attnum > 0 and a.attstorage in ('x', 'm')`)
    for (const { statement } of rows) await client.query(statement)
  })
}

/**
 * Copies the rows of all tables of all services as text, into files in the data directory of PostgreSQL. A value that is stored in
 * pieces is complete there.
 */
export async function copyRows({ urls }: StackFile): Promise<void> {
  await withClient(urls.postgres, async (client) => {
    await client.query(`set bytea_output = 'escape'`)
    const { rows } = await client.query<{ statement: string }>(`
      select format('copy (select * from %1$I.%2$I) to %3$L (format csv)', n.nspname, c.relname,
        format('%s/rows of %s.%s', current_setting('data_directory'), n.nspname, c.relname)) as statement
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${SCHEMAS} and c.relkind = 'r'`)
    for (const { statement } of rows) await client.query(statement)
  })
}

/** Searches all files below these folders. */
export async function searchFiles(
  folders: readonly string[],
  canaries: Canaries,
): Promise<{ megabytes: number; files: number; found: Found[] }> {
  const found: Found[] = []
  let [bytes, files] = [0, 0]
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const content = await readFile(file)
      files += 1
      bytes += content.length
      found.push(...search(content, canaries).map((find) => ({ ...find, place: relative(root, file) })))
    }
  return { megabytes: Math.round(bytes / 1_000_000), files, found }
}

/** Returns the memory dumps that dead processes left. None must exist. */
export function dumps(folders: readonly string[]): string[] {
  const names =
    '{core,core.*,vgcore.*,*.core,report.*.json,*.heapsnapshot,*.heapprofile,*.cpuprofile,erl_crash.dump}'
  const here = ['', 'services/*', 'services/*/src', 'dev/*'].flatMap((folder) =>
    globSync(join(folder, names), { cwd: root }),
  )
  const there = folders.flatMap((folder) =>
    globSync(join('**', names), { cwd: folder }).map((one) => join(folder, one)),
  )
  return [...here, ...there]
}
