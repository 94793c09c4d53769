import { changeTimes } from '@platter/contracts'
import { matchesEtag } from '@platter/kit'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

const FRESH_MS = changeTimes.sharedResponse
/** 400 menus of 20 KB; the gateway has 150 MB at most. A larger response than an eighth of it is passed on unkept. */
const MAX_BYTES = 8 * 1024 * 1024

/** A 200 with everything in it that does not belong to one request. */
export type SharedResponse = {
  headers: Readonly<Record<string, string | string[]>>
  etag: string | undefined
  body: Buffer
}

/** Requests the response from its service. `kept` may be revalidated by its entity tag. Undefined: there is no 200 to share. */
export type FetchShared = (kept: SharedResponse | undefined) => Promise<SharedResponse | undefined>

/**
 * Responses that are the same for all access keys (`shared` on the operation), kept by URL. A menu from here takes a third
 * of the CPU of one from catalog. Many requests for the same URL at the same time cost one request to its service.
 */
export class SharedResponses {
  readonly #cache: LRUCache<string, SharedResponse, FetchShared>

  /** `clock`: milliseconds, monotonic. */
  constructor(clock: { now: () => number } = performance) {
    this.#cache = new LRUCache({
      maxSize: MAX_BYTES,
      maxEntrySize: MAX_BYTES / 8,
      sizeCalculation: ({ body }, url) => body.length + url.length + 1_024,
      ttl: FRESH_MS,
      ttlResolution: 0,
      perf: clock,
      // An entry that is evicted during its fetch still answers those who wait for it.
      ignoreFetchAbort: true,
      fetchMethod: async (_url, kept, { options, context: fetchShared }) => {
        const requestedAt = clock.now()
        const response = await fetchShared(kept)
        options.ttl = Math.max(1, FRESH_MS - (clock.now() - requestedAt))
        return response
      },
    })
  }

  /** `url`: path and query without an access key. Rejects when the service is unavailable. */
  find(url: string, fetchShared: FetchShared): Promise<SharedResponse | undefined> {
    return this.#cache.fetch(url, { context: fetchShared })
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
