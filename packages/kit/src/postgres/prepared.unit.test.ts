import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
} from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '#/postgres/postgres.ts'
import { prepared } from '#/postgres/prepared.ts'

/** Returns a database without a server, and its executed statements. */
function recorded() {
  const executed: Pick<CompiledQuery, 'sql' | 'parameters'>[] = []
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (on) => new PostgresIntrospector(on),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void executed.push({ sql: query.sql, parameters: query.parameters }),
  })
  return { db, executed }
}

test('a prepared statement is built once and executed with the values of each call', async () => {
  const { db, executed } = recorded()
  let built = 0
  const cheapDishes = prepared((_: Db, { most, names }: { most: number; names: string[] }) => {
    built += 1
    return sql`select name from dishes where is_off = ${false} and price <= ${most} and name = any(${names})`
  })
  await cheapDishes(db, { most: 900, names: ['korma'] })
  await cheapDishes(db, { most: 500, names: ['naan', 'dal'] })
  expect(built).toBe(1)
  expect(new Set(executed.map((one) => one.sql))).toEqual(
    new Set(['select name from dishes where is_off = $1 and price <= $2 and name = any($3)']),
  )
  expect(executed.map(({ parameters }) => parameters)).toEqual([
    [false, 900, ['korma']],
    [false, 500, ['naan', 'dal']],
  ])
})
