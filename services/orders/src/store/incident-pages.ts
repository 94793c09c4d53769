import type { Before } from '@platter/contracts'
import { sql } from 'kysely'

/* Common parts of the statements of all incident sources. */

export type Page = { before: Before | null; limit: number }

/* eslint-disable no-restricted-properties -- callers name columns of this schema */
export const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::int8`

/** Sorts newest first, from after a position. Ids are compared by bytes, so that all sources have the same order. */
export const pageOf = (at: ReturnType<typeof microseconds>, id: string, { before, limit }: Page) => sql`
  ${before === null ? sql`true` : sql`(${at}, ${sql.ref(id)} collate "C") < (${before.at}::int8, ${before.id}::text collate "C")`}
  order by ${at} desc, ${sql.ref(id)} collate "C" desc limit ${limit}`
/* eslint-enable no-restricted-properties */
