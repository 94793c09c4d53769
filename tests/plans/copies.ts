import type pg from 'pg'

/** SQL: the `n`th apiKey of a kind, 48 hexadecimal characters like those of the services. */
export const key = (kind: string, n: string) =>
  `md5('${kind}' || ${n}) || left(md5('${kind}' || ${n} || '.'), 16)`

/**
 * Inserts a copy of each matching row for every `n` up to `count`, with changed columns. The server creates the copies, and a new
 * column needs no change here.
 */
export async function insertCopies(
  pool: pg.Pool,
  table: string,
  { where, count, changes }: { where: string; count: number; changes: Readonly<Record<string, string>> },
): Promise<void> {
  const columns = Object.entries(changes).map(([name, value]) => `'${name}', ${value}`)
  await pool.query(`
    insert into ${table} select copy.*
    from ${table} as template cross join generate_series(1, ${count}) as n
    cross join lateral jsonb_populate_record(template, jsonb_build_object(${columns.join(', ')})) as copy
    where template.${where}`)
}
