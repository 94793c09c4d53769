import type { ServiceHealth } from '@platter/contracts'
import { Deadline } from '#/http/deadline.ts'

type Reads = {
  database: () => Promise<NonNullable<ServiceHealth['database']>>
  queues: () => Promise<NonNullable<ServiceHealth['queues']>>
}

/** Less than the caller waits: a server that does not respond is a finding, and must not cost the others. */
const WITHIN_MS = 2_000

/** Reads the health of a service. A part that fails or takes too long is null. */
export async function readServiceHealth({ database, queues }: Reads): Promise<ServiceHealth> {
  const [one, other] = await Promise.all([orNull(database), orNull(queues)])
  return { database: one, queues: other }
}

/** Null for a read that fails or takes too long. */
export const orNull = <T>(read: () => Promise<T>, withinMs = WITHIN_MS): Promise<T | null> =>
  Deadline.in(withinMs)
    .race(read())
    .catch(() => null)
