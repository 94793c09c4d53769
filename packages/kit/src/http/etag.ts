/**
 * Returns whether `If-None-Match` contains the entity tag or `*` (RFC 9110, 13.1.2). The comparison is weak, so `W/` is ignored.
 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === '*' || (ifNoneMatch?.match(/"[^"]*"/g)?.includes(etag) ?? false)
