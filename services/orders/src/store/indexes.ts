import { join } from 'node:path'
import type { Log } from '@platter/kit'
import { buildIndexes, readIndexes } from '@platter/kit/postgres/concurrent-indexes'

const INDEXES = join(import.meta.dirname, '../../indexes')

/** Returns the indexes of `orders` that are built while the service runs. */
export const ordersIndexes = () => readIndexes(INDEXES)

type Building = { url: string; log: Log; signal: AbortSignal }

/** Returns repeated work that builds the missing indexes, once per process. */
export function indexBuilder(building: Building): () => Promise<void> {
  let isDone = false
  return async () => {
    isDone ||= await buildIndexes({ ...building, indexes: await ordersIndexes() })
  }
}
