import { requestTimes } from '@platter/contracts'
import { Cache, Deadline, type Replicas } from '@platter/kit'
import { z } from 'zod'

/** Below the time in which a readiness check counts as failed (1.5 s), so that the reason reaches the operator. */
const WITHIN_MS = 1_400
/** Clients need no access key for a readiness check, so it must not let them query a service without limit. */
const CACHED_MS = 1_000

const NotReady = z.object({ failures: z.record(z.string(), z.string()) })

/**
 * Returns a readiness check: a replica of the service is ready. The error names what one of them lacks, without the reasons: those
 * contain addresses and users of servers, and everyone can read the readiness of the gateway.
 */
export function readinessOf(replicas: Pick<Replicas, 'send'>): () => Promise<void> {
  // In an object: the cache stores no failed load, and a failed check counts for this time too.
  const results = new Cache<{ result: Promise<void> }>({ maxEntries: 1, ttlMs: CACHED_MS })
  const load = async () => ({ result: check(replicas) })
  return async () => (await results.load('readiness', load)).result
}

async function check(replicas: Pick<Replicas, 'send'>): Promise<void> {
  const deadline = Deadline.in(WITHIN_MS)
  const path = '/health/ready'
  let lacks: string | undefined
  try {
    // A GET is sent to the next replica after any error.
    await replicas.send(
      { method: 'GET', route: path, deadline },
      async ({ pool, headers: own, recordHead }) => {
        const signal = AbortSignal.timeout(Math.ceil(deadline.remainingMs))
        // A service whose PostgreSQL is frozen responds in this time, and names it.
        const headers = { ...own, ...deadline.earlier(requestTimes.relay).header }
        const response = await pool.request({ method: 'GET', path, headers, signal })
        recordHead(response.statusCode, response.headers)
        const document = await response.body.json()
        if (response.statusCode === 200) return
        // The first replica has the most time for its checks, the last one perhaps none.
        lacks ??= `not ready: ${Object.keys(NotReady.parse(document).failures).join(', ')}`
        throw new Error(lacks)
      },
    )
  } catch (cause) {
    throw new Error(lacks ?? 'no response', { cause })
  }
}
