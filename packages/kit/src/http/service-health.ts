import type { ServiceHealth } from '@platter/contracts'
import { Deadline } from '#/http/deadline.ts'

type Reads = {
  database: () => Promise<NonNullable<ServiceHealth['database']>>
  queues: () => Promise<NonNullable<ServiceHealth['queues']>>
}

/** Below the timeout of the caller, so that one server that does not respond does not hide the results of the others. */
const WITHIN_MS = 2_000

/** Reads the health of a service. A part is null if its read fails or takes too long. */
export async function readServiceHealth({ database, queues }: Reads): Promise<ServiceHealth> {
  const [one, other] = await Promise.all([orNull(database), orNull(queues)])
  return { database: one, queues: other }
}

/** Returns the result of a read; null if it fails or takes too long. */
export async function orNull<T>(read: () => Promise<T>, withinMs = WITHIN_MS): Promise<T | null> {
  try {
    return await Deadline.in(withinMs).race(read())
  } catch {
    return null
  }
}
