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

/** Sends HTTP requests from a separate process. */
export class LoadGenerator {
  readonly #worker: Worker<Job, Outcomes>

  private constructor(worker: Worker<Job, Outcomes>) {
    this.#worker = worker
  }

  static async start(): Promise<LoadGenerator> {
    return new LoadGenerator(await Worker.start(new URL('process.ts', import.meta.url)))
  }

  /** Sends from all sources at the same time. Resolves when every request has a response or is lost. */
  run(job: Job): Promise<Outcomes> {
    return this.#worker.run(job)
  }

  /** Like `run`, with one source. */
  async send(job: Omit<Job, 'sources'>, source: Omit<Source, 'name'>): Promise<Outcome> {
    const { only } = await this.run({ ...job, sources: [{ name: 'only', ...source }] })
    return only!
  }

  get pid(): number {
    return this.#worker.pid
  }

  stop(): Promise<void> {
    return this.#worker.stop()
  }
}

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
