import { ApiKey } from '@platter/contracts'
import type { Db, PageRange } from '@platter/kit'
import { epochOf, microsecondsOf, momentOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import { z } from 'zod'

/** The tenant-scoped connection of a client application. */
export type TenantDb = (applicationId: string) => Db

export const createdEpoch = epochOf('created_at')

/** The end of a page: the creation time in microseconds. The id orders rows with an equal time. */
export const Position = z.object({ at: z.int(), id: ApiKey })
type Position = z.infer<typeof Position>

export const positionOf = ({ at, id }: Position): Position => ({ at, id })

export type Range = PageRange<Position>

export const createdMicroseconds = microsecondsOf('created_at')

/** For lists with the newest row first: matches the rows after the position, or all rows for null. */
export const after = (position: Position | null) =>
  position === null ? sql`true` : sql`(created_at, id) < (${momentOf(position.at)}, ${position.id})`

/** Returns the only row of a statement that always has one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('a statement has returned no row')
  return row
}
