import { Worker } from '../worker.ts'
import type { Load, Outcome } from './loop.ts'

/** In the bytes of a request: replaced by a new UUID each time it is sent. */
export const UNIQUE = '00000000-0000-4000-8000-000000000000'

/** A stream of requests. `bytes` are whole requests, sent in turn. */
export type Source = { name: string; load: Load; bytes: readonly string[]; expects?: number }

/**
 * `connections` are opened before the first request, and spread over the origins; no more are opened, as a load balancer
 * does it.
 */
export type Job = { origins: readonly string[]; connections: number; sources: readonly Source[] }

/** By the name of the source. */
export type Outcomes = Record<string, Outcome>

/** Sends HTTP requests from a process of its own. */
export class LoadGenerator {
  readonly #worker: Worker<Job, Outcomes>

  private constructor(worker: Worker<Job, Outcomes>) {
    this.#worker = worker
  }

  static async start(): Promise<LoadGenerator> {
    return new LoadGenerator(await Worker.start(new URL('process.ts', import.meta.url)))
  }

  /** Sends from all sources at the same time; resolves when every request has a response or is lost. */
  run(job: Job): Promise<Outcomes> {
    return this.#worker.run(job)
  }

  /** As `run`, with one source. */
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

type RequestLine = { method: 'GET' | 'POST'; path: string; key?: string; headers?: Record<string, string> }

/** The bytes of a request, with a JSON body if there is one. */
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
