import { Worker } from '../worker.ts'
import type { Load, Outcome } from './loop.ts'

/** A placeholder in the bytes of a request. Each sent request has a new UUID in its place. */
export const UNIQUE = '00000000-0000-4000-8000-000000000000'

/** A stream of requests. `bytes` are complete requests, sent in turn. */
export type Source = { name: string; load: Load; bytes: readonly string[]; expects?: number }

/**
 * `connections` are opened before the first request, and spread over the origins. No further ones are opened, as in a load
 * balancer.
 */
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

type RequestLine = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  key?: string
  headers?: Record<string, string>
}

/** Returns the bytes of a request, with an optional JSON body. */
export function requestBytes({ method, path, key, headers = {} }: RequestLine, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const fields = {
    host: 'platter',
    ...(key !== undefined && { 'x-access-token': key }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', text].join('\r\n')
}
