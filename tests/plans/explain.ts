import type pg from 'pg'

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

export type Statement = { sql: string; parameters: readonly unknown[] }

/**
 * Executes a statement with the plan that a service uses for all values of its parameters. Returns the pages of 8 KB that it accesses.
 * Their number does not depend on the load of the machine.
 */
export async function buffersOf(pool: pg.Pool, { sql, parameters }: Statement): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare explained as ${sql}`)
    const values = parameters.map((value) =>
      client.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value)),
    )
    const given = values.length === 0 ? '' : `(${values.join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, timing off, format json) execute explained${given}`,
    )
    await client.query('deallocate explained')
    client.release()
    const [{ Plan: plan }] = rows[0]!['QUERY PLAN']
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  } catch (error) {
    // Closes the session: in the pool, it would keep the prepared statement.
    client.release(true)
    throw error
  }
}
