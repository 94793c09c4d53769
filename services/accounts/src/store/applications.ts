import type { Applications } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import type { z } from 'zod'
import { after, createdEpoch, createdMicroseconds, only, type Range } from '#/store/tables.ts'

type Application = z.output<typeof Applications.response>[number]

export type ApplicationStore = ReturnType<typeof postgresApplications>

const columns = sql`id, name, ${createdEpoch} as created`

export const postgresApplications = (db: Db) => ({
  async insert({ id, name }: { id: string; name: string }): Promise<Application> {
    const { rows } = await sql<Application>`
      insert into applications (id, name) values (${id}, ${name}) returning ${columns}`.execute(db)
    return only(rows)
  },

  /** Newest first. */
  async list({ before, limit }: Range): Promise<(Application & { at: number })[]> {
    const { rows } = await sql<Application & { at: number }>`
      select ${columns}, ${createdMicroseconds} as at from applications
      where ${after(before)} order by created_at desc, id desc limit ${limit}`.execute(db)
    return rows
  },

  async exists(id: string): Promise<boolean> {
    const { rows } = await sql`select id from applications where id = ${id}`.execute(db)
    return rows.length > 0
  },
})
