import { z } from 'zod'

/** The first file of an archive. */
export const Manifest = z.object({
  format: z.literal(1),
  /** The moment of the snapshot, by the clock of the database: epoch seconds. */
  at: z.number(),
  /** The version of PostgreSQL. A restore works with another one as well. */
  server: z.string(),
  tables: z.array(z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
})
export type Manifest = z.infer<typeof Manifest>

/** The last file of an archive: the number of rows by table, in the order of the manifest. */
export const End = z.object({ rows: z.array(z.number()) })
