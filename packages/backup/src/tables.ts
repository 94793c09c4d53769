import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { identifier, rowsOf } from '#/database.ts'
import type { TarEntry } from '#/tar.ts'

/** A table with its archived columns. */
export type Table = { schema: string; name: string; columns: string[] }

/** The size of a file in the archive. Each file has a part of a table's rows in the text format of COPY. */
const PART_BYTES = 4 * 1024 * 1024

/**
 * Values that replace columns. Positions of event streams are transaction ids, which are meaningless in another cluster (decision
 * 0010). Restored rows count as older than every position.
 */
const REPLACED: Readonly<Record<string, string>> = {
  'orders.orders.changed_in': 'null',
  'orders.orders.changed_bucket': '-1',
}

/** The tables of the schemas, without generated columns. */
export async function findTables(client: Client, schemas: readonly string[]): Promise<Table[]> {
  return rowsOf<Table>(
    client,
    `select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by 1, 2 order by 1, 2`,
    [schemas],
  )
}

export const tableName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${identifier(schema)}.${identifier(name)}`

export const columnList = ({ columns }: Table): string => columns.map(identifier).join(', ')

/** Yields the rows of a table in parts of about 4 MiB. Each part ends with a complete row. */
export async function* readRows(client: Client, table: Table, at: number): AsyncGenerator<TarEntry> {
  const values = table.columns.map(
    (column) => REPLACED[`${table.schema}.${table.name}.${column}`] ?? identifier(column),
  )
  const stream = client.query(copyTo(`copy (select ${values.join(', ')} from ${tableName(table)}) to stdout`))
  let parts: Buffer[] = []
  let length = 0
  let count = 0
  const entry = (content: Buffer): TarEntry => ({ name: dataName(at, ++count), content })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk)
    length += chunk.length
    if (length < PART_BYTES) continue
    const all = Buffer.concat(parts)
    const end = all.lastIndexOf('\n') + 1
    if (end > 0) yield entry(all.subarray(0, end))
    parts = [all.subarray(end)]
    length = all.length - end
  }
  if (length > 0) yield entry(Buffer.concat(parts))
}

/** Returns the file name of a part. `table` is the index of its table in the manifest. */
const dataName = (table: number, part: number): string =>
  `data/${String(table).padStart(3, '0')}-${String(part).padStart(6, '0')}.copy`

/** Returns the index of a part's table in the manifest; null for another file. */
export function tableOf(name: string): number | null {
  const [, at] = /^data\/(\d{3})-\d{6}\.copy$/.exec(name) ?? []
  return at === undefined ? null : Number(at)
}

/** Counts the rows in a part. COPY writes a line break within a value as `\n`. */
export function countRows(content: Buffer): number {
  let rows = 0
  for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, at + 1)) rows += 1
  return rows
}
