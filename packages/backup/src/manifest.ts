import { z } from 'zod'

/** The first file of an archive. */
export const Manifest = z.object({
  format: z.literal(1),
  /** The time of the snapshot by the database's clock, in epoch seconds. */
  at: z.number(),
  /** The version of PostgreSQL. A restore accepts another version. */
  server: z.string(),
  tables: z.array(z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
})
export type Manifest = z.infer<typeof Manifest>

/** The last file of an archive: the number of rows by table, in the order of the manifest. */
export const End = z.object({ rows: z.array(z.number()) })
