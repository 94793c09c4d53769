import { matchesEtag, Rendered, type Call } from '@platter/kit'
import type { Operation } from '@platter/contracts'

/**
 * A client may store a menu but revalidates it each time (RFC 9111, `no-cache`). The version here is up to 0.6 s old, and the
 * gateway's copy up to 0.8 s. With an additional age in the client, a change would not be visible within two seconds.
 */
const CACHE_CONTROL = 'private, no-cache'

/**
 * Part of every entity tag and of every Redis key. Increase it when the same menu is rendered to other bytes. Replicas of two
 * releases share Redis during an upgrade, and clients revalidate the bytes of the older release.
 */
export const RENDERING = 2

/** Sets the entity tag of the response. Returns the 304 if the client has this version, otherwise null. */
export function notModified(
  { headers, setHeader }: Pick<Call<Operation>, 'headers' | 'setHeader'>,
  etag: string,
): Rendered | null {
  setHeader('etag', etag)
  setHeader('cache-control', CACHE_CONTROL)
  return matchesEtag(headers['if-none-match'], etag) ? new Rendered(null, 304) : null
}
