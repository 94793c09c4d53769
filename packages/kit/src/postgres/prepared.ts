import type { CompiledQuery, RawBuilder } from 'kysely'
import type { Db } from '#/postgres/postgres.ts'

/** A placeholder in the compiled statement for a value of each execution. */
class Placeholder {
  readonly name: string | symbol
  constructor(name: string | symbol) {
    this.name = name
  }
}

/**
 * Returns a statement that Kysely compiles only once, at its first execution. Compilation took half of the CPU time of a
 * restaurant's details and a third of a quote's. `build` receives placeholders instead of values. It may pass them to the query as
 * parameters. It must not read them or branch on them, because the text never changes.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => RawBuilder<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const placeholders = new Proxy({} as Values, { get: (_, name) => new Placeholder(name) })
  let built: CompiledQuery<Row> | null = null
  return async (db, values) => {
    built ??= build(db, placeholders).compile(db)
    const parameters = built.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    )
    const { rows } = await db.executeQuery<Row>({ ...built, parameters })
    return rows
  }
}
