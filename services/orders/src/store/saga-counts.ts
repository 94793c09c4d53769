import { sql } from 'kysely'
import type { SendOrderFacts, State } from '#/domain/saga-row.ts'
import type { Db } from '#/store/tables.ts'

/** Unfinished sagas that stand alike, and one of them to tell how. */
export type InFlight = { count: number; seconds: number; facts: SendOrderFacts; state: State }

/** How many sagas are not finished and how old the oldest is, in seconds. Reads unfinished ones only, by their index. */
export async function inFlight(db: Db): Promise<InFlight[]> {
  const { rows } = await sql<InFlight>`
    with alike as (
      select min(order_api_key) as one, count(*)::int as count,
        extract(epoch from now() - min(placed_at))::float8 as seconds
      from sagas join orders on api_key = order_api_key
      where finished_at is null
      group by state->'done', state->'undone', state->'refusal' = 'null', facts->'token' = 'null'
    )
    select count, seconds, facts, state from alike join sagas on order_api_key = one`.execute(db)
  return rows
}

/** Messages that could not be handled, by command; 0 where there are none at all. */
export async function deadLetters(db: Db): Promise<{ command: string; count: number }[]> {
  const { rows } = await sql<{ command: string; count: number }>`
    select command, count(*)::int as count from dead_letters group by command`.execute(db)
  return rows.length > 0 ? rows : [{ command: 'none', count: 0 }]
}
