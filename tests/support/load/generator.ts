import { Worker } from '../worker.ts'
import type { Load, Outcome } from './loop.ts'

/** The value of an `idempotency-key` in whose place each sent request has a new UUID. */
export const UNIQUE = 'unique'

export type Request = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

/** A stream of requests, sent in turn. */
export type Source = { name: string; load: Load; requests: readonly Request[]; expects?: number }

/** At most this number of connections is open, spread over the origins. Further requests wait, as in a load balancer. */
export type Job = { origins: readonly string[]; connections: number; sources: readonly Source[] }

/** Outcomes by the name of the source. */
export type Outcomes = Record<string, Outcome>

/**
 * A separate process that sends HTTP requests. A job sends from all its sources at the same time, and ends when every request has a
 * response or is lost.
 */
export type LoadGenerator = Worker<Job, Outcomes>

export const startGenerator = (): Promise<LoadGenerator> =>
  Worker.start(new URL('process.ts', import.meta.url))

type Given = Pick<Request, 'method' | 'path'> & { key?: string; headers?: Record<string, string> }

/** Returns a request, with an optional JSON body. */
export const requestOf = ({ method, path, key, headers }: Given, body?: object): Request => ({
  method,
  path,
  headers: {
    ...(key !== undefined && { 'x-access-token': key }),
    ...(body && { 'content-type': 'application/json' }),
    ...headers,
  },
  body: body ? JSON.stringify(body) : null,
})
