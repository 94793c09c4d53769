import { existsSync, globSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { withClient } from '../../dev/servers/database.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Needles } from './canaries.ts'
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

/** So many rows of orders have a size of 10 MB. */
const ROWS = 5_000

/** Searches the rows of all tables of all services as text. A value that is stored in pieces is complete here. */
export async function searchRows(
  { urls }: StackFile,
  needles: Needles,
): Promise<{ bytes: number; found: Found[] }> {
  const result = { bytes: 0, found: [] as Found[] }
  await withClient(urls.postgres, async (client) => {
    await client.query(`set bytea_output = 'escape'`)
    const { rows: tables } = await client.query<{ name: string }>(`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${SCHEMAS} and c.relkind = 'r'`)
    for (const { name } of tables) {
      await client.query('begin')
      await client.query(`declare everything no scroll cursor for select t::text as row from ${name} t`)
      for (;;) {
        const { rows } = await client.query<{ row: string }>(`fetch ${ROWS} from everything`)
        if (rows.length === 0) break
        const bytes = Buffer.from(rows.map(({ row }) => row).join('\n'))
        result.bytes += bytes.length
        result.found.push(...search(bytes, needles).map((find) => ({ ...find, place: `rows of ${name}` })))
      }
      await client.query('commit')
    }
  })
  return result
}

/** Searches all files below these folders. */
export async function searchFiles(
  folders: readonly string[],
  needles: Needles,
): Promise<{ bytes: number; files: number; found: Found[] }> {
  const result = { bytes: 0, files: 0, found: [] as Found[] }
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const bytes = await readFile(file)
      result.files++
      result.bytes += bytes.length
      result.found.push(...search(bytes, needles).map((find) => ({ ...find, place: relative(root, file) })))
    }
  return result
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
  return [...here, ...there].filter((file) => existsSync(file))
}
