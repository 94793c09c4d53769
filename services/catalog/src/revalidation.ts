import { matchesEtag, Rendered, type Call } from '@platter/kit'
import type { Operation } from '@platter/contracts'

/**
 * A client may keep a menu and has to ask each time whether it is still the one (RFC 9111, `no-cache`): what we
 * know of its version is up to 0.6 s old and the gateway's copy up to 0.8 s. With an age of its own on top, a changed menu
 * would not be seen within two seconds. Asking costs a 304 without a body.
 */
const CACHE_CONTROL = 'private, no-cache'

/**
 * Part of every entity tag and of every key in Redis. To be raised when the same menu is rendered to other bytes: replicas of
 * both versions share Redis during an upgrade, and clients revalidate what the older version rendered.
 */
export const RENDERING = 2

/** Names the entity tag to the client; gives the 304 when that is what the client has already, else null. */
export function notModified(
  { headers, setHeader }: Pick<Call<Operation>, 'headers' | 'setHeader'>,
  etag: string,
): Rendered | null {
  setHeader('etag', etag)
  setHeader('cache-control', CACHE_CONTROL)
  return matchesEtag(headers['if-none-match'], etag) ? new Rendered(null, 304) : null
}
