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
import { prepared } from '#/postgres/prepared.ts'

type Tables = { dishes: { name: string; price: number; isOff: boolean } }

/** Returns a database without a server, and its executed statements. */
function recorded() {
  const executed: Pick<CompiledQuery, 'sql' | 'parameters'>[] = []
  const db = new Kysely<Tables>({
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
  const cheapDishes = prepared((on: Kysely<Tables>, { most, names }: { most: number; names: string[] }) => {
    built += 1
    return on
      .selectFrom('dishes')
      .select('name')
      .where('isOff', '=', false)
      .where('price', '<=', most)
      .where('name', '=', sql<string>`any(${names})`)
  })
  await cheapDishes(db, { most: 900, names: ['korma'] })
  await cheapDishes(db, { most: 500, names: ['naan', 'dal'] })
  expect(built).toBe(1)
  expect(new Set(executed.map((one) => one.sql))).toEqual(
    new Set(['select "name" from "dishes" where "isOff" = $1 and "price" <= $2 and "name" = any($3)']),
  )
  expect(executed.map(({ parameters }) => parameters)).toEqual([
    [false, 900, ['korma']],
    [false, 500, ['naan', 'dal']],
  ])
})
