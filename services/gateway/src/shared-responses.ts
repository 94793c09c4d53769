import { changeTimes } from '@platter/contracts'
import { Cache, matchesEtag, type Load } from '@platter/kit'
import type { FastifyReply } from 'fastify'

const FRESH_MS = changeTimes.sharedResponse
/** 400 menus of 20 KB; the gateway has 150 MB at most. A response larger than an eighth of it is relayed uncached. */
const MAX_BYTES = 8 * 1024 * 1024

/** A 200 with everything in it that does not belong to one request. */
export type SharedResponse = {
  headers: Readonly<Record<string, string | string[]>>
  etag: string | undefined
  body: Buffer
}

/** Requests the response from its service. `kept` may be revalidated by its entity tag. Undefined: there is no 200 to share. */
export type FetchShared = Load<SharedResponse>

/**
 * Responses that are the same for all access keys (`shared` on the operation), cached by URL. A menu from here takes a third
 * of the CPU of one from catalog. Many requests for the same URL at the same time cost one request to its service.
 */
export class SharedResponses {
  readonly #cache: Cache<SharedResponse>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: { now: () => number } = performance) {
    this.#cache = new Cache({
      maxBytes: MAX_BYTES,
      maxValueBytes: MAX_BYTES / 8,
      sizeOf: ({ body }, url) => body.length + url.length + 1_024,
      ttlMs: FRESH_MS,
      clock,
    })
  }

  /** `url`: path and query without an access key. Rejects when the service is unavailable. */
  find(url: string, fetchShared: FetchShared): Promise<SharedResponse | undefined> {
    return this.#cache.load(url, fetchShared)
  }
}

/** Answers with the response, or with 304 (RFC 9110, 15.4.5) when the client has it. */
export function sendShared(
  reply: FastifyReply,
  { headers, etag, body }: SharedResponse,
  ifNoneMatch: string | undefined,
): FastifyReply {
  void reply.headers(headers)
  if (etag === undefined || !matchesEtag(ifNoneMatch, etag)) return reply.send(body)
  return reply.removeHeader('content-type').code(304).send()
}
