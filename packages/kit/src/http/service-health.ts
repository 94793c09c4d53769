import type { ServiceHealth } from '@platter/contracts'

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
export async function orNull<T>(read: () => Promise<T>, withinMs = WITHIN_MS): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), withinMs)
  try {
    return await Promise.race([read(), late.promise])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
