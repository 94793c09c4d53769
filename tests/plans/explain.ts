import type pg from 'pg'

type Node = {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

export type Statement = { sql: string; parameters: readonly unknown[] }

/**
 * Buffers: pages of 8 KB that a statement accesses. Removed: rows that it reads and discards. Neither depends on the load of the
 * machine.
 */
export type Work = { buffers: number; removed: number }

const removed = (node: Node): number =>
  (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, plan) => sum + removed(plan), 0)

/** Executes a statement with the plan that a service uses for all values of its parameters. */
export async function workOf(pool: pg.Pool, { sql, parameters }: Statement): Promise<Work> {
  const client = await pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare explained as ${sql}`)
    const values = parameters.map((value) =>
      client.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value)),
    )
    const given = values.length === 0 ? '' : `(${values.join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, buffers, timing off, format json) execute explained${given}`,
    )
    const [{ Plan: plan }] = rows[0]!['QUERY PLAN']
    return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], removed: removed(plan) }
  } finally {
    await client.query('deallocate explained')
    client.release()
  }
}
